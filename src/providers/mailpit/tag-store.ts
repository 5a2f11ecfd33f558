import { LocalpostError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { createSequence } from '../../core/sequence.ts'
import { quotedString } from '../../core/text.ts'
import type { InboxPages } from '../../inbox/methods.ts'

type TagInbox = Pick<InboxPages, 'bulk' | 'overview'>

/**
 * The tags of the messages of an account as Mailpit has them: they are listed in lower case, their case does not matter, and
 * tags given here are trimmed. A change reads the tags first, so changes run one after the other.
 */
export class TagStore {
  readonly #inbox: TagInbox
  readonly #inTurn = createSequence()

  constructor(inbox: TagInbox) {
    this.#inbox = inbox
  }

  async all(): Promise<string[]> {
    return [...(await this.#inbox.overview()).tags]
  }

  /** Replaces the tags of messages; of those that differ in case alone, the last one counts. @throws As changes of mails. */
  async replace(ids: string[], given: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const tags = [...new Map(given.map((tag) => [tag.trim().toLowerCase(), tag.trim()])).values()]
    await this.#inTurn(() => this.#inbox.bulk.change({ ids }, { tags: tags.filter((tag) => tag !== '') }))
  }

  /** @throws validation_error if there is no such tag, or one of the new name; otherwise as changes of mails. */
  async rename(tag: string, newName: string): Promise<void> {
    const name = newName.trim()
    await this.#inTurn(async () => {
      await this.#assertTag(tag)
      const isOther = name.toLowerCase() !== tag.toLowerCase()
      if (isOther && (await this.#isTag(name)))
        throw new LocalpostError('validation_error', `tag already exists: ${quote(name)}`)
      await this.#inbox.bulk.change(`tag:${quotedString(tag)}`, { remove_tags: [tag], add_tags: [name] })
    })
  }

  /** Removes a tag from all messages. @throws validation_error if there is no such tag; otherwise as changes of mails. */
  async remove(tag: string): Promise<void> {
    await this.#inTurn(async () => {
      await this.#assertTag(tag)
      await this.#inbox.bulk.change(`tag:${quotedString(tag)}`, { remove_tags: [tag] })
    })
  }

  async #isTag(name: string): Promise<boolean> {
    return (await this.all()).includes(name.toLowerCase())
  }

  async #assertTag(name: string): Promise<void> {
    if (await this.#isTag(name)) return
    throw new LocalpostError('validation_error', `tag not found: ${quote(name)}`)
  }
}
