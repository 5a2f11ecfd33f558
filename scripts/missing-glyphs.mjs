/**
 * The characters that no font of this machine has. A browser draws all of them as the same box, or as nothing.
 *
 * @param page  A page of Playwright, with any document.
 * @param {string[]} characters
 * @returns {Promise<string[]>}
 */
export function missingGlyphs(page, characters) {
  return page.evaluate((wanted) => {
    const canvas = new OffscreenCanvas(64, 64)
    const context = canvas.getContext('2d')
    const drawn = (character) => {
      context.clearRect(0, 0, 64, 64)
      context.font = '32px sans-serif'
      context.fillText(character, 8, 48)
      return context.getImageData(0, 0, 64, 64).data.join()
    }
    // No font has these: they are not characters.
    const boxes = new Set(['\u{1fffe}', '\u{fdd0}'].map(drawn))
    boxes.add(drawn(''))
    return wanted.filter((character) => boxes.has(drawn(character)))
  }, characters)
}
