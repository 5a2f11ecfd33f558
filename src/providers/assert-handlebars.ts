import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { Template } from '../templates/types.ts'

/** @throws invalid_template for a template in another language, because its content would become Handlebars. */
export function assertHandlebars({ id, engine }: Pick<Template, 'id' | 'engine'>): void {
  if (engine === 'handlebars') return
  const message = `The template ${quote(id)} has the engine ${quote(engine)}, and its content here would be Handlebars. Change it where it was made, or create another template.`
  throw new LocalpostError('invalid_template', message)
}
