// What is used of packages that compare pictures; one has no types. Not part of the build.
declare module 'pngjs' {
  export interface Pixels {
    width: number
    height: number
    data: Uint8Array
  }
  export const PNG: { sync: { read(file: Buffer): Pixels; write(picture: Pixels): Buffer } }
}
declare module 'pixelmatch' {
  export default function pixelmatch(
    one: Uint8Array,
    other: Uint8Array,
    difference: Uint8Array,
    width: number,
    height: number,
    options: { threshold: number },
  ): number
}
