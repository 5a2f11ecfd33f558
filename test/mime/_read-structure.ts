import { unpaced } from '../../src/core/yield.ts'
import { structureSteps, type MimeStructure } from '../../src/mime/structure.ts'

/** The structure of a message, read at once. */
export const readStructure = (message: Buffer): MimeStructure => unpaced(structureSteps(message))
