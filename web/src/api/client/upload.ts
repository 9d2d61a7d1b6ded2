import type { Posts } from '../../../../src/api-types.ts';
import { answerOf, csrfHeaders } from './client.ts';
import { unreachable } from './error.ts';

export interface UploadOptions {
  signal: AbortSignal;
  /** Called with 0 to 1; 1 means that everything was sent and the response is pending. */
  onProgress: (share: number) => void;
}

/** Only XMLHttpRequest reports the upload progress. */
export function upload<P extends keyof Posts>(
  path: P,
  body: FormData,
  options: UploadOptions,
): Promise<Posts[P]['response']> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', stop);
      settle();
    };
    request.upload.addEventListener('progress', (event) => {
      if (event.lengthComputable) options.onProgress(event.loaded / event.total);
    });
    request.upload.addEventListener('load', () => options.onProgress(1));
    request.addEventListener('load', () =>
      end(() => {
        try {
          resolve(answerOf(request.status, request.responseText) as Posts[P]['response']);
        } catch (error) {
          reject(error as Error);
        }
      }),
    );
    request.addEventListener('error', () => end(() => reject(unreachable())));
    request.addEventListener('abort', () =>
      end(() => reject(new DOMException('The upload was stopped.', 'AbortError'))),
    );
    signal.addEventListener('abort', stop);
    request.open('POST', path);
    for (const [name, value] of Object.entries(csrfHeaders()))
      request.setRequestHeader(name, value);
    if (signal.aborted) end(() => reject(signal.reason as Error));
    else request.send(body);
  });
}
