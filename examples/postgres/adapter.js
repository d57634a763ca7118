// A storage adapter for PostgreSQL: one table of texts, in the order of their bytes.

/** The adapter over a pool of `pg`. Give each memory a table of its own. */
export async function postgresAdapter(pool, table = 'memfold') {
  if (!/^[a-z_][a-z0-9_]*$/.test(table)) throw new Error(`${table} is not the name of a table`);
  await pool.query(`CREATE TABLE IF NOT EXISTS ${table} (key text COLLATE "C" PRIMARY KEY, value text NOT NULL)`);

  return {
    async get(keys) {
      const { rows } = await pool.query(
        `SELECT value FROM unnest($1::text[]) WITH ORDINALITY AS asked (key, n) LEFT JOIN ${table} USING (key) ORDER BY n`,
        [keys],
      );
      return rows.map(({ value }) => value);
    },

    async list({ after, before, limit, reverse }) {
      const order = reverse ? 'DESC' : 'ASC';
      const { rows } = await pool.query(`SELECT key, value FROM ${table} WHERE key > $1 AND key < $2 ORDER BY key ${order} LIMIT $3`, [after, before, limit]);
      return rows.map(({ key, value }) => [key, value]);
    },

    async commit({ head, put, remove }) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        // Writers take turns. A lock of the head's row would not keep two of them from writing the first head.
        await client.query(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
        const { rows } = await client.query(`SELECT value FROM ${table} WHERE key = 'head'`);
        const isCurrent = rows[0]?.value === head;
        if (isCurrent) {
          await client.query(`DELETE FROM ${table} WHERE key = ANY ($1)`, [remove]);
          await client.query(
            `INSERT INTO ${table} SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
            [put.map(([key]) => key), put.map(([, value]) => value)],
          );
        }
        await client.query('COMMIT');
        return isCurrent;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => {});
        throw error;
      } finally {
        client.release();
      }
    },
  };
}
