/** A column of values: its name, what the array of them is cast to in SQL, and that array. */
export interface ValueColumn {
  readonly name: string
  readonly type: string
  readonly values: readonly unknown[]
}

/** The parameters of a statement, numbered while its text is written. */
export class Parameters {
  readonly values: unknown[] = []

  /** @returns The placeholder of the value in the text, such as `$1`, or `$1::int8` with a type. */
  add(value: unknown, type?: string): string {
    const placeholder = `$${this.values.push(value)}`
    return type === undefined ? placeholder : `${placeholder}::${type}`
  }

  /** Drops those after the first `count`: a parameter that the text does not use has no type. */
  dropAfter(count: number): void {
    this.values.length = count
  }

  /** Rows given column by column, as the table `given` of the text. */
  unnest(columns: readonly ValueColumn[]): string {
    const arrays = columns.map(({ values, type }) => this.add(values, type)).join(', ')
    return `unnest(${arrays}) AS given (${columnList(columns)})`
  }
}

/** The names of columns, as a list in SQL. */
export function columnList(columns: readonly ValueColumn[]): string {
  return columns.map(({ name }) => `"${name}"`).join(', ')
}
