/** A wallet as pages call it (EIP-1193). */
export interface Provider {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
  on?(event: string, listener: (value: never) => void): void;
  removeListener?(event: string, listener: (value: never) => void): void;
}
