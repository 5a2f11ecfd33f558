import { fieldOf } from '../core/header-fields.ts'
import { readBodies } from '../mime/bodies.ts'
import { splitHead } from '../mime/headers/headers.ts'
import { readParameters } from '../mime/headers/parameters.ts'
import type { PlacedPart } from '../mime/part.ts'
import { readStructure } from '../mime/structure.ts'

/** What an iCalendar part says it asks for, in upper case; null where it says nothing. */
export interface CalendarMethods {
  /** The parameter of its Content-Type. */
  parameter: string | null
  /** The property METHOD of the calendar. */
  property: string | null
}

/** Reads the methods of the first iCalendar parts of a message. */
export function readCalendarMethods(message: Buffer): CalendarMethods[] {
  // Most messages have none, and need not be parsed.
  if (!/text\/calendar/i.test(message.toString('latin1'))) return []
  const parts = readStructure(message).parts.filter(({ content_type }) => content_type === 'text/calendar')
  return parts.slice(0, maxParts).map((part) => ({
    parameter: parameterOf(message, part),
    property: propertyOf(message, part),
  }))
}

const maxParts = 20
/** The property is one of the first lines. */
const readBytes = 64 * 1024

function parameterOf(message: Buffer, { headerStart, start }: PlacedPart): string | null {
  const { fields } = splitHead(message.subarray(headerStart, start), headerStart === 0 ? 'message' : 'part')
  const type = fieldOf(fields, 'content-type') ?? ''
  return readParameters(type).parameters.get('method')?.trim().toUpperCase() || null
}

function propertyOf(message: Buffer, part: PlacedPart): string | null {
  const content_type = 'text/plain'
  const text = { ...part, content_type, flowed: null, end: Math.min(part.end, part.start + readBytes) }
  const lines = readBodies(message, { text: [text], html: [] }).text.replaceAll(/\n[ \t]/g, '')
  const line = lines.split('\n').find((one) => /^METHOD[;:]/i.test(one)) ?? ''
  return (
    line
      .slice(line.indexOf(':') + 1)
      .trim()
      .toUpperCase() || null
  )
}
