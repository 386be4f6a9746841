// Runs SQL from standard input with DuckDB (npm) and prints the rows as a JSON array of objects.
// Integers of 64 bits, which DuckDB writes as texts, are numbers.
//
//	node duckdb.mjs MODULES < FILE     MODULES: the directory in which @duckdb/node-api is installed
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { DuckDBInstance } = createRequire(process.argv[2] + '/')('@duckdb/node-api');
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const rows = (await connection.runAndReadAll(readFileSync(0, 'utf8'))).getRowObjectsJson();
const isInteger = (v) => typeof v === 'string' && /^-?\d{1,15}$/.test(v);
console.log(JSON.stringify(rows, (_, v) => (isInteger(v) ? Number(v) : v)));
