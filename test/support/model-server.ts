import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Question {
  messages: { role: string; content: string }[];
  response_format: { json_schema: { schema: { properties: { target: { enum: string[] } } } } };
}

/** A model that answers as the test says. */
export async function startModel() {
  const questions: Question[] = [];
  let behave: (question: Question, response: ServerResponse) => void = () => {};
  const server = createServer((request: IncomingMessage, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const question = JSON.parse(body) as Question;
      questions.push(question);
      behave(question, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    questions,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    behave: (how: typeof behave) => {
      behave = how;
    },
    answer: (choose: (question: Question) => unknown) => {
      behave = (question, response) =>
        response.end(
          JSON.stringify({
            choices: [{ message: { content: JSON.stringify(choose(question)) } }],
            usage: { prompt_tokens: 100, completion_tokens: 10 },
          }),
        );
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
