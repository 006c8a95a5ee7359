import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

/** How each member of a record stands in its column: as it is, as 0 or 1, or as JSON. */
export type Columns<Row> = { readonly [Member in keyof Row]-?: 'plain' | 'boolean' | 'json' };

/** One table, with records as rows. Statements are prepared once. */
export class Table<Row extends object> {
  readonly #database: DatabaseSync;
  readonly #name: string;
  readonly #columns: Columns<Row>;
  readonly #members: readonly (keyof Row & string)[];
  readonly #withoutKey: readonly (keyof Row & string)[];
  readonly #upsert: StatementSync;
  readonly #insert: StatementSync;

  /** @param key members that make the primary key */
  constructor(database: DatabaseSync, name: string, columns: Columns<Row>, key: readonly (keyof Row & string)[]) {
    this.#database = database;
    this.#name = name;
    this.#columns = columns;
    this.#members = Object.keys(columns) as (keyof Row & string)[];
    this.#withoutKey = this.#members.filter((member) => !key.includes(member));
    const updates = this.#withoutKey.map(snakeCase).map((column) => `${column} = excluded.${column}`);
    this.#insert = database.prepare(insertInto(name, this.#withoutKey));
    this.#upsert = database.prepare(
      `${insertInto(name, this.#members)} ON CONFLICT (${key.map(snakeCase)}) DO UPDATE SET ${updates}`,
    );
  }

  /** @param rest SQL after the table's name */
  select(rest: string): (...values: SQLInputValue[]) => Row[] {
    const statement = this.#prepareSelect(rest);
    return (...values) => (statement.all(...values) as unknown as SQLOutputValue[][]).map((row) => this.#fromSql(row));
  }

  /** Does the same for the first row. */
  first(rest: string): (...values: SQLInputValue[]) => Row | undefined {
    const statement = this.#prepareSelect(rest);
    return (...values) => {
      const row = statement.get(...values) as SQLOutputValue[] | undefined;
      return row && this.#fromSql(row);
    };
  }

  /** Inserts a record or, where its primary key is there, replaces what the row holds. */
  put(record: Row): void {
    this.#upsert.run(...this.#toSql(record, this.#members));
  }

  /** Inserts a record without its primary key. @returns the key that it got */
  insert(record: Partial<Row>): number {
    return Number(this.#insert.run(...this.#toSql(record, this.#withoutKey)).lastInsertRowid);
  }

  /** Prepares any other statement. */
  run(text: string): (...values: SQLInputValue[]) => void {
    const statement = this.#database.prepare(text);
    return (...values) => void statement.run(...values);
  }

  #prepareSelect(rest: string): StatementSync {
    const columns = this.#members.map(snakeCase).join(', ');
    const statement = this.#database.prepare(`SELECT ${columns} FROM ${this.#name} ${rest}`);
    // Objects would be made anew, name by name, for every row.
    statement.setReturnArrays(true);
    return statement;
  }

  #toSql(record: Partial<Row>, wanted: readonly (keyof Row & string)[]): SQLInputValue[] {
    return wanted.map((member) => {
      const value = record[member] as SQLInputValue;
      if (this.#columns[member] === 'plain' || value === null) return value;
      return this.#columns[member] === 'boolean' ? Number(value) : JSON.stringify(value);
    });
  }

  #fromSql(values: readonly SQLOutputValue[]): Row {
    const row: Record<string, unknown> = {};
    for (const [index, member] of this.#members.entries()) {
      const value = values[index];
      if (this.#columns[member] === 'plain' || value === null) row[member] = value;
      else row[member] = this.#columns[member] === 'boolean' ? value === 1 : JSON.parse(value as string);
    }
    return row as Row;
  }
}

function insertInto(name: string, members: readonly string[]): string {
  return `INSERT INTO ${name} (${members.map(snakeCase).join(', ')}) VALUES (${members.map(() => '?').join(', ')})`;
}

function snakeCase(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
