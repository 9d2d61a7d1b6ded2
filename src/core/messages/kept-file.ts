/** A file among the stored parameters of a send, which the store keeps until it is sent. */
export interface KeptFile {
  kept: string;
  name: string;
  type?: string;
}

export const isKeptFile = (value: unknown): value is KeptFile =>
  typeof value === 'object' && value !== null && typeof (value as KeptFile).kept === 'string';
