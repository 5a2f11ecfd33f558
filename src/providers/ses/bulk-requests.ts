import { parseInput } from '../../core/validate.ts'
import { ContentBudget } from '../content-budget.ts'
import { translateOne } from '../request-parts.ts'
import type { Translate } from '../translation.ts'
import { toRequest } from './requests.ts'
import { bulkSchema, type SesBulk, type SesSend } from './send-schema.ts'
import { readTemplateData } from './template-text.ts'

/** `SendBulkEmail`. @throws validation_error if it is wrong as a whole. */
export const toBulk: Translate = (body) => {
  const bulk = parseInput(bulkSchema, body)
  new ContentBudget('emails').take(bulk.BulkEmailEntries.length * JSON.stringify(bulk.DefaultContent).length)
  return bulk.BulkEmailEntries.map((entry) => translateOne(() => toRequest(toSingle(bulk, entry))))
}

type Entry = SesBulk['BulkEmailEntries'][number]

/** An email of a bulk request, as a request of its own. */
function toSingle(
  { DefaultContent, DefaultEmailTags = [], BulkEmailEntries: _all, ...shared }: SesBulk,
  { Destination, ReplacementTags = [], ReplacementHeaders = [], ReplacementEmailContent }: Entry,
): SesSend {
  const { Template } = DefaultContent
  const replaced = new Set(ReplacementTags.map(({ Name }) => Name))
  const headers = new Set(ReplacementHeaders.map(({ Name }) => Name.toLowerCase()))
  return {
    ...shared,
    Destination,
    EmailTags: [...DefaultEmailTags.filter(({ Name }) => !replaced.has(Name)), ...ReplacementTags],
    Content: {
      Template: {
        ...Template,
        TemplateData: mergeData(
          Template.TemplateData,
          ReplacementEmailContent?.ReplacementTemplate?.ReplacementTemplateData,
        ),
        Headers: [
          ...(Template.Headers ?? []).filter(({ Name }) => !headers.has(Name.toLowerCase())),
          ...ReplacementHeaders,
        ],
      },
    },
  }
}

/** The default data, with the members of an entry in place of its own. */
function mergeData(given: string | undefined, replacement: string | undefined): string | undefined {
  if (replacement === undefined || given === undefined) return replacement ?? given
  return JSON.stringify({ ...readTemplateData(given), ...readTemplateData(replacement) })
}
