// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** A template to store, with at least one of the members: the body of `PUT /dev/templates/{id}`. */
export interface TemplateInput {
  /** May hold placeholders such as {{name}}, as the bodies may. */
  subject?: string | null
  /** HTML body, at most 1 MB. */
  html?: string | null
  /** Plain-text body, at most 1 MB. */
  text?: string | null
}

/** A template as `/dev/templates` answers it. */
export interface Template {
  /** Chosen by who stored it. */
  id: string
  subject: string | null
  html: string | null
  text: string | null
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
  /** Unix time in milliseconds of the PUT that stored it. */
  updated: number
}
