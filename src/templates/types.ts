// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** The language of a template. */
export type TemplateEngine = 'placeholders' | 'handlebars' | 'mustachio'

/** A template to store, with at least one of the members: the body of `PUT /dev/templates/{id}`. */
export interface TemplateInput {
  /** May hold placeholders such as {{name}}, as the bodies may. */
  subject?: string | null
  /** HTML body, at most 1 MB. */
  html?: string | null
  /** Plain-text body, at most 1 MB. */
  text?: string | null
  /**
   * The language of the texts. Default: `placeholders`, which are {{name}} alone. `handlebars` has
   * blocks, loops and helpers; `mustachio` is the language of Postmark.
   */
  engine?: TemplateEngine
  /** For people; two templates may have the same. Default: none. */
  name?: string | null
  /** Names and values that stay with the template: at most 100, and 262144 characters together. */
  metadata?: Record<string, string>
}

/** Texts to be rendered without storing them: the body of `POST /dev/templates/render`. */
export interface TemplateRendering {
  engine: 'handlebars' | 'mustachio'
  subject?: string
  html?: string
  text?: string
  /** A JSON object. Default: none. */
  data?: Record<string, unknown>
}

/** The texts as they would be sent: the answer. */
export interface RenderedTexts {
  subject: string
  html: string
  text: string
  /** The names that the data has no value for, each once. */
  missing: string[]
}

/** A template as `/dev/templates` answers it. */
export interface Template {
  /** Chosen by who stored it. */
  id: string
  subject: string | null
  html: string | null
  text: string | null
  engine: TemplateEngine
  /** For people; null without one. */
  name: string | null
  /** Absent without any. */
  metadata?: Record<string, string>
  /** Unix time in milliseconds. */
  created: number
  /** Unix time in milliseconds of the last PUT. */
  updated: number
}

/** An earlier version of a template, as `/dev/templates/{id}/versions` answers it. */
export interface TemplateVersion {
  id: string
  subject: string | null
  html: string | null
  text: string | null
  engine: TemplateEngine
  /** Unix time in milliseconds of the PUT that stored it. */
  updated: number
}
