/** Whether a line, or a piece of one, contains NUL, or CR outside its line end. */
export function hasControls(line: Buffer): boolean {
  const carriageReturn = line.indexOf(0x0d)
  return line.includes(0) || (carriageReturn !== -1 && line[carriageReturn + 1] !== 0x0a)
}

/** The same line, of the same length, with spaces for what {@link hasControls} finds. */
export function withoutControls(line: Buffer): Buffer {
  if (!hasControls(line)) return line
  return Buffer.from(line.toString('latin1').replace(/\0|\r(?!\n)/g, ' '), 'latin1')
}
