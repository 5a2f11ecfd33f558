// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** How well a client supports what a mail uses. */
export interface ClientScore {
  /** Its key, as `gmail/ios`. */
  client: string
  name: string
  /** 0 to 100; a feature that it supports partly counts half. */
  score: number
}

/** A feature of HTML or CSS that a mail uses, and the clients that do not support it. */
export interface SupportedFeature {
  /** Its name in Can I email, as `css-display-flex`. */
  slug: string
  title: string
  /** `css`, `html`, `image` or `others`. */
  category: string
  /** Its page, with notes and versions. */
  url: string
  /** How often the mail uses it. */
  count: number
  /** The first 20 places. */
  places: {
    /** Line of the HTML, from 1 on. */
    line: number
    snippet: string
  }[]
  /** The keys of the clients that ignore it. */
  unsupported: string[]
  /** The keys of the clients that support it partly. */
  partial: string[]
}

/** How mail clients support what a mail uses. */
export interface ClientSupport {
  /** 0 to 100: the mean of the clients, weighted by their shares. */
  score: number
  clients: ClientScore[]
  /** The features that the mail uses, in the order of their first use. */
  features: SupportedFeature[]
}

/** A part of a mail that a client ignores: a feature, or the subject of a rule of the client. */
export interface RemovedFeature {
  /** Its name in Can I email, as `css-position`, or that of a rule, as `style-limit`. */
  feature: string
  title: string
  /** Its page in Can I email; null for a rule. */
  url: string | null
  /** How often it was removed. */
  count: number
  /** The first 20 places. */
  places: {
    /** Line of the HTML, from 1 on. */
    line: number
    snippet: string
  }[]
}

/** The HTML of a mail without what a mail client ignores. */
export interface MailPreview {
  /** Its key, as `gmail/ios`. */
  client: string
  name: string
  /** Says that it is an approximation. */
  note: string
  /** What is left; `/dev/inbox/{id}/html?client=` has it for a frame. */
  html: string
  removed: RemovedFeature[]
}
