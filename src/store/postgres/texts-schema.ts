import type { Connection } from './connection.ts'
import type { Table } from './table.ts'

/** How texts are found: by an index of trigrams, or by scanning each. */
export type TextSearch = 'trigrams' | 'scan'

/**
 * Creates missing tables of texts, and their indexes if the extension pg_trgm exists or can be created. A table with
 * other parts is created again, because its texts are derived from the records. Call it in a transaction that only one
 * instance can be in.
 *
 * @param assertAlone  Called before a table is replaced, which other instances must not use then.
 */
export async function prepareTexts(
  sql: Connection,
  tables: readonly Table[],
  assertAlone: () => Promise<void>,
): Promise<TextSearch> {
  const operators = await trigramOperators(sql)
  for (const { texts } of tables) {
    if (!texts) continue
    const has = await columnsOf(sql, texts.name)
    const wanted = texts.parts.map((_, at) => `part_${at}`)
    const comment = JSON.stringify(texts.parts)
    if (has.length > 0 && (await commentOf(sql, texts.name)) !== comment) {
      await assertAlone()
      await once(sql, `DROP TABLE ${texts.name}`)
      has.length = 0
    }
    if (has.length === 0) {
      await once(
        sql,
        `CREATE TABLE ${texts.name} (
           partition text COLLATE "C" NOT NULL,
           id text COLLATE "C" NOT NULL,
           unsure boolean NOT NULL,
           ${wanted.map((name) => `${name} text COLLATE "C",`).join(' ')}
           PRIMARY KEY (partition, id)
         )`,
      )
      await once(sql, `COMMENT ON TABLE ${texts.name} IS '${comment.replaceAll("'", "''")}'`)
      await once(sql, `CREATE INDEX ON ${texts.name} (partition, id) WHERE unsure`)
    }
    if (operators)
      await once(
        sql,
        `CREATE INDEX IF NOT EXISTS "${indexName(texts.name)}" ON ${texts.name}
         USING gin (${wanted.map((name) => `${name} ${operators}`).join(', ')})`,
      )
  }
  return operators ? 'trigrams' : 'scan'
}

/** The index of the trigrams of a table of texts. */
export function indexName(table: string): string {
  return `${table.split('"').at(-2) ?? ''}_trigrams`
}

/** The operators of an index of trigrams; null if the extension is missing and this user may not create it. */
async function trigramOperators(sql: Connection): Promise<string | null> {
  await once(sql, 'SAVEPOINT extension')
  try {
    await once(sql, 'CREATE EXTENSION IF NOT EXISTS pg_trgm')
    await once(sql, 'RELEASE SAVEPOINT extension')
  } catch {
    await once(sql, 'ROLLBACK TO SAVEPOINT extension')
  }
  const [found] = await sql.run<{ schema: string }>(
    `SELECT quote_ident(nspname) AS schema FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
     WHERE extname = 'pg_trgm' AND has_schema_privilege(nspname, 'USAGE')`,
  )
  return found ? `${found.schema}.gin_trgm_ops` : null
}

async function columnsOf(sql: Connection, table: string): Promise<string[]> {
  const rows = await sql.run<{ name: string }>(
    'SELECT attname::text AS name FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped',
    [table],
  )
  return rows.map(({ name }) => name)
}

async function commentOf(sql: Connection, table: string): Promise<string | null> {
  const [row] = await sql.run<{ comment: string | null }>(
    "SELECT obj_description(to_regclass($1), 'pg_class') AS comment",
    [table],
  )
  return row?.comment ?? null
}

async function once(sql: Connection, text: string): Promise<void> {
  await sql.run(text, [], { isLasting: false })
}
