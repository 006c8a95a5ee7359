import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

/** How each member of a record stands in its column: as it is, as 0 or 1, or as JSON. */
export type Columns<Row> = { readonly [Member in keyof Row]-?: 'plain' | 'boolean' | 'json' };

/** One table, with records as rows. Statements are prepared once. */
export interface Table<Row> {
  /** @param rest SQL after the table's name */
  select(rest: string): (...values: SQLInputValue[]) => Row[];
  first(rest: string): (...values: SQLInputValue[]) => Row | undefined;
  /** Inserts the record or, where its primary key is there, replaces what the row holds. */
  put(record: Row): void;
  /** Inserts the record without its primary key. @returns the key that it got */
  insert(record: Partial<Row>): number;
  /** Any other statement. */
  run(statement: string): (...values: SQLInputValue[]) => void;
}

/** @param key members that make the primary key */
export function table<Row extends object>(
  database: DatabaseSync,
  name: string,
  columns: Columns<Row>,
  key: readonly (keyof Row & string)[],
): Table<Row> {
  const members = Object.keys(columns) as (keyof Row & string)[];
  const list = members.map(snakeCase).join(', ');
  const others = members.filter((member) => !key.includes(member));
  const upsert = database.prepare(`
    ${insertInto(name, members)} ON CONFLICT (${key.map(snakeCase).join(', ')})
    DO UPDATE SET ${others.map((member) => `${snakeCase(member)} = excluded.${snakeCase(member)}`).join(', ')}`);
  const insert = database.prepare(insertInto(name, others));

  function toSql(record: Partial<Row>, wanted: readonly (keyof Row & string)[]): SQLInputValue[] {
    return wanted.map((member) => {
      const value = record[member] as SQLInputValue;
      if (columns[member] === 'plain' || value === null) return value;
      return columns[member] === 'boolean' ? Number(value) : JSON.stringify(value);
    });
  }

  function fromSql(values: readonly SQLOutputValue[]): Row {
    const row: Record<string, unknown> = {};
    for (const [index, member] of members.entries()) {
      const value = values[index];
      if (columns[member] === 'plain' || value === null) row[member] = value;
      else row[member] = columns[member] === 'boolean' ? value === 1 : JSON.parse(value as string);
    }
    return row as Row;
  }

  function select(rest: string): StatementSync {
    const statement = database.prepare(`SELECT ${list} FROM ${name} ${rest}`);
    // Objects would be made anew, name by name, for every row.
    statement.setReturnArrays(true);
    return statement;
  }

  return {
    select(rest) {
      const statement = select(rest);
      return (...values) => (statement.all(...values) as unknown as SQLOutputValue[][]).map(fromSql);
    },
    first(rest) {
      const statement = select(rest);
      return (...values) => {
        const row = statement.get(...values) as SQLOutputValue[] | undefined;
        return row && fromSql(row);
      };
    },
    put(record) {
      upsert.run(...toSql(record, members));
    },
    insert(record) {
      return Number(insert.run(...toSql(record, others)).lastInsertRowid);
    },
    run(text) {
      const statement = database.prepare(text);
      return (...values) => {
        statement.run(...values);
      };
    },
  };
}

function insertInto(name: string, members: readonly string[]): string {
  return `INSERT INTO ${name} (${members.map(snakeCase).join(', ')}) VALUES (${members.map(() => '?').join(', ')})`;
}

function snakeCase(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
