/** Reads `500ms`, `30s`, `90m`, `1.5h`, `7d` or `2w`. @returns Whole milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  const [, amount = '', unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?)(ms|[smhdw])$/.exec(text) ?? []
  const unitMs = unitsMs[unit]
  return unitMs === undefined ? null : Math.round(Number(amount) * unitMs)
}

type UnitsMs = Readonly<Record<string, number>>
const unitsMs: UnitsMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
