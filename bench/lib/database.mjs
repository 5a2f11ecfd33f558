/** Databases with many emails in them. */
import { Client } from 'pg'
import { apiKey } from './contenders.mjs'
import { submit } from './stores.mjs'

/** How many emails come in over SMTP. All larger stores are made of these. */
const seeds = 2000

/**
 * Fills schemas of a database. Emails come in over SMTP and are read for searches as usual, but only a few: the others are
 * their copies under other ids, made by the database.
 *
 * @param {string} url  Of the database.
 * @param {number} [different]  As for `submit`.
 */
export function createSchemas(url, different) {
  let count = 0
  const filled = new Map()
  const fresh = () => `${url}?schema=bench_${process.pid}_${++count}`

  /** @returns {Promise<string>} The URL of a schema with so many emails, which is filled once. */
  async function of(size, context) {
    const known = filled.get(size)
    if (known) return known
    const store = fresh()
    if (size === seeds) await seed(store, context, different)
    else await copyRows(url, await of(seeds, context), store, size, context)
    filled.set(size, store)
    return store
  }
  return { fresh, of }
}

async function seed(store, { start }, different) {
  const server = await start.inDatabase({ store })
  try {
    await submit(server, seeds, 2048, { different })
    for (let found = 0; found < seeds;) {
      const answer = await fetch(`http://127.0.0.1:${server.httpPort}/dev/inbox?limit=1&query=wizards`, {
        headers: { authorization: `Bearer ${apiKey}` },
      })
      found = (await answer.json()).count
    }
  } finally {
    await server.stop('SIGTERM')
  }
}

/** Makes a schema, and fills it with the rows of another one, each as often as needed. */
async function copyRows(url, from, to, size, { start }) {
  const server = await start.inDatabase({ store: to })
  await server.stop('SIGTERM')
  const [source, target] = [from, to].map((store) => new URL(store).searchParams.get('schema'))
  const client = new Client({ connectionString: url })
  await client.connect()
  const rowsOf = async (text, values) => (await client.query(text, values)).rows
  try {
    const [index] = await rowsOf(
      'SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = $1 AND indexdef LIKE $2',
      [target, '%gin%'],
    )
    // An index of trigrams takes less time as a whole.
    if (index) await client.query(`DROP INDEX "${target}"."${index.indexname}"`)
    const ids = `(SELECT id FROM "${source}".records_emails ORDER BY id LIMIT ${Math.min(size, seeds)})`
    // Ids begin with their time: these are earlier ones, all of them different.
    const moved = (column) => `left(${column}, 5) || lpad(copy::text, 3, '0') || substr(${column}, 9)`
    for (const [table, own] of [
      ['records_emails', 'id'],
      ['texts_emails', 'id'],
      ['blobs', 'owner'],
    ]) {
      const names = await rowsOf(
        'SELECT column_name AS name FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2',
        [source, table],
      )
      const columns = names.map(({ name }) => name)
      const values = columns.map((name) => {
        if (name === own) return moved(own)
        return name === 'record' ? `replace(record::text, id, ${moved('id')})::json` : `"${name}"`
      })
      await client.query(
        `INSERT INTO "${target}".${table} (${columns.map((name) => `"${name}"`).join(', ')})
         SELECT ${values.join(', ')} FROM "${source}".${table}, generate_series(0, ${Math.ceil(size / seeds) - 1}) copy
         WHERE partition = '' AND ${own} IN ${ids} ORDER BY copy, ${own}`,
      )
    }
    await client.query(
      `INSERT INTO "${target}".totals (partition, collection, records) VALUES ('', 'emails', ${size})
       ON CONFLICT (partition, collection) DO UPDATE SET records = excluded.records`,
    )
    if (index) await client.query(index.indexdef)
    await client.query('VACUUM (ANALYZE)')
    await client.query('CHECKPOINT')
  } finally {
    await client.end()
  }
}
