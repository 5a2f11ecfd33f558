/** Decodes bytes piece by piece. Invalid input is skipped or passed on unchanged; it never throws. */
export interface TransferDecoder {
  /** How many of the octets so far are not of the encoding. */
  readonly misfits: number
  /** @returns The bytes that can be decoded so far; may be empty. */
  write(slice: Buffer): Buffer
  /** @returns The remaining bytes. */
  end(): Buffer
}
