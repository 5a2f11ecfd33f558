import type { Connection } from './connection.ts'
import { partColumn, type Table } from './table.ts'

/** How texts are found: by an index of trigrams, or by scanning each. */
export type TextSearch = 'trigrams' | 'scan'

/**
 * Creates missing tables of texts, and their indexes if the extension pg_trgm exists or can be created. A table of
 * another version is created again, because its texts are derived from the records. Call it in a transaction that only one
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
    const columns = texts.parts.map((_, at) => partColumn(at))
    const comment = JSON.stringify([texts.version, texts.parts])
    const [found] = await sql.run<{ comment: string | null }>(
      "SELECT obj_description(oid, 'pg_class') AS comment FROM pg_class WHERE oid = to_regclass($1)",
      [texts.sql],
    )
    const isOutdated = found !== undefined && found.comment !== comment
    if (isOutdated) {
      await assertAlone()
      await sql.once(`DROP TABLE ${texts.sql}`)
    }
    if (!found || isOutdated) {
      await sql.once(
        `CREATE TABLE ${texts.sql} (
           partition text COLLATE "C" NOT NULL,
           id text COLLATE "C" NOT NULL,
           unsure boolean NOT NULL,
           cut boolean NOT NULL,
           ${columns.map((name) => `${name} text COLLATE "C",`).join(' ')}
           PRIMARY KEY (partition, id)
         )`,
      )
      await sql.once(`COMMENT ON TABLE ${texts.sql} IS '${comment.replaceAll("'", "''")}'`)
      await sql.once(`CREATE INDEX ON ${texts.sql} (partition, id) WHERE unsure`)
      await sql.once(`CREATE INDEX ON ${texts.sql} (partition) WHERE cut`)
    }
    if (operators)
      await sql.once(
        `CREATE INDEX IF NOT EXISTS "${indexName(texts.stored)}" ON ${texts.sql}
         USING gin (${columns.map((name) => `${name} ${operators}`).join(', ')})`,
      )
  }
  return operators ? 'trigrams' : 'scan'
}

/** The name of the index of trigrams. @param stored  The name of the table of texts, within its schema. */
export const indexName = (stored: string): string => `${stored}_trigrams`

/** The operators of an index of trigrams; null if the extension is missing and this user may not create it. */
async function trigramOperators(sql: Connection): Promise<string | null> {
  await sql.once('SAVEPOINT extension')
  try {
    await sql.once('CREATE EXTENSION IF NOT EXISTS pg_trgm')
    await sql.once('RELEASE SAVEPOINT extension')
  } catch {
    // This user may not create extensions, but another may have created it.
    await sql.once('ROLLBACK TO SAVEPOINT extension')
  }
  const [found] = await sql.run<{ schema: string }>(
    `SELECT quote_ident(nspname) AS schema FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
     WHERE extname = 'pg_trgm' AND has_schema_privilege(nspname, 'USAGE')`,
  )
  return found ? `${found.schema}.gin_trgm_ops` : null
}
