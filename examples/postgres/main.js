// Adds a note to a memory in PostgreSQL and asks about it: `node main.js "The lease ends in May" "When does the lease end?"`.
import { open } from 'memfold';
import pg from 'pg';
import { postgresAdapter } from './adapter.js';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const memories = await open({ storage: await postgresAdapter(pool) });
const [, , note, question] = process.argv;
const { receipts } = await memories.add(note);
console.log(receipts.map(({ decision }) => decision).join());
const [hit] = await memories.search(question);
console.log(hit?.memory.content ?? 'nothing');
await memories.close();
await pool.end();
