/** Writes 32 bits as eight digits. */
export function writeHex(value: number, bytes: Buffer, at: number): void {
  bytes.write(value.toString(16).padStart(8, '0'), at, 'latin1')
}
