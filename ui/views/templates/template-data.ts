/** The data of a template from its JSON, or what is wrong with it. */
export function dataIn(json: string): { data: Record<string, unknown> } | { problem: string } {
  if (json.trim() === '') return { data: {} }
  let given: unknown
  try {
    given = JSON.parse(json)
  } catch {
    return { problem: 'The data is not JSON.' }
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { problem: 'The data must be an object, such as {"name": "Ada"}.' }
  return { data: Object.fromEntries(Object.entries(given)) }
}
