import type { ShapedEvent } from '../../webhooks/shape.ts'
import { eventId } from './event-data.ts'
import type { EventPage, Position } from './event-page.ts'

/** Selects the events of one page from a stream of events. */
export class NearestEvents {
  readonly #page: EventPage
  /** Whether earlier events are nearer. */
  readonly #isEarliest: boolean
  #kept: { position: Position; event: ShapedEvent }[] = []

  constructor(page: EventPage) {
    this.#page = page
    this.#isEarliest = page.isAscending !== page.isBack
  }

  /** Whether the time of an event is right: a cheap test, to be made before the filters of the page. */
  mayTake({ event: { timestamp } }: ShapedEvent): boolean {
    const { from, until } = this.#page
    return (from === null || timestamp >= from) && (until === null || timestamp <= until)
  }

  /** @param event  One that passed {@link NearestEvents.mayTake} and the filters. */
  take(event: ShapedEvent): void {
    const { at, limit } = this.#page
    const position = positionOf(event)
    if (at !== null && this.#compare(position, at) <= 0) return
    this.#kept.push({ position, event })
    if (this.#kept.length > limit * 2 + 100) this.#trim()
  }

  /** In the order of the log. */
  found(): ShapedEvent[] {
    this.#trim()
    const events = this.#kept.map(({ event }) => event)
    return this.#page.isBack ? events.reverse() : events
  }

  #trim(): void {
    this.#kept = this.#kept
      .sort((one, other) => this.#compare(one.position, other.position))
      .slice(0, this.#page.limit)
  }

  #compare([time, id]: Position, [otherTime, otherId]: Position): number {
    const order = time - otherTime || (id < otherId ? -1 : id > otherId ? 1 : 0)
    return this.#isEarliest ? order : -order
  }
}

export function positionOf(event: ShapedEvent): Position {
  return [event.event.timestamp, eventId(event)]
}
