/** Writes 32 bits as eight digits; `toString(16)` of a number above 2³¹ goes through floating point. */
export function writeHex(value: number, bytes: Buffer, at: number): void {
  for (let i = 0; i < 8; i++) bytes[at + i] = hexDigits.charCodeAt((value >>> (28 - 4 * i)) & 0xf)
}

const hexDigits = '0123456789abcdef'
