// What is used of pngjs, which comes without types. Not part of the build.
declare module 'pngjs' {
  export interface Pixels {
    width: number
    height: number
    data: Uint8Array
  }
  export const PNG: { sync: { read(file: Buffer): Pixels; write(picture: Pixels): Buffer } }
}
