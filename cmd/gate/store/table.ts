import type { Query, Value } from '../../../src/common/sql/query.ts';

/** The clause by which a transaction locks a row until its end; empty where there is but one writer. */
export type Lock = '' | 'FOR UPDATE';

/** The form of each member of a record in its column: as it is, as 0 or 1, or as JSON. */
export type Columns<Row> = { readonly [Member in keyof Row]-?: 'plain' | 'boolean' | 'json' };

/** Returns columns that hold members as they are. */
export function plain<Member extends string>(...members: Member[]): Record<Member, 'plain'> {
  return Object.fromEntries(members.map((member) => [member, 'plain'])) as Record<Member, 'plain'>;
}

/** One table, with records as rows, in any database of SQL. */
export class Table<Row extends object> {
  readonly #columns: Columns<Row>;
  readonly #members: readonly (keyof Row & string)[];
  readonly #withoutKey: readonly (keyof Row & string)[];
  readonly #select: string;
  readonly #upsert: string;
  readonly #insert: string;

  /** @param key members that make the primary key */
  constructor(name: string, columns: Columns<Row>, key: readonly (keyof Row & string)[]) {
    this.#columns = columns;
    this.#members = Object.keys(columns) as (keyof Row & string)[];
    this.#withoutKey = this.#members.filter((member) => !key.includes(member));
    const keyColumns = key.map(toColumn).join(', ');
    const updates = this.#withoutKey.map(toColumn).map((column) => `${column} = excluded.${column}`);
    this.#select = `SELECT ${this.#members.map(toColumn).join(', ')} FROM ${name}`;
    this.#insert = `${insertInto(name, this.#withoutKey)} RETURNING ${keyColumns}`;
    this.#upsert = `${insertInto(name, this.#members)} ON CONFLICT (${keyColumns}) DO UPDATE SET ${updates.join(', ')}`;
  }

  /** @param rest SQL after the table's name */
  async select(query: Query, rest: string, ...values: Value[]): Promise<Row[]> {
    const rows = await query(`${this.#select} ${rest}`, values);
    return rows.map((row) => this.#fromSql(row));
  }

  /** Does the same for the first row. */
  async first(query: Query, rest: string, ...values: Value[]): Promise<Row | undefined> {
    const [row] = await query(`${this.#select} ${rest}`, values);
    return row && this.#fromSql(row);
  }

  /**
   * Inserts a record or, where its primary key is there, replaces what the row holds. @param rest SQL after that, which
   * may say of which rows
   */
  async put(query: Query, record: Row, rest = '', ...values: Value[]): Promise<void> {
    await query(`${this.#upsert} ${rest}`, [...this.#toSql(record, this.#members), ...values]);
  }

  /** Inserts a record without its primary key, which is a number. @returns the key that it got */
  async insert(query: Query, record: Partial<Row>): Promise<number> {
    const [row] = await query(this.#insert, this.#toSql(record, this.#withoutKey));
    return Number(row?.[0]);
  }

  #toSql(record: Partial<Row>, wanted: readonly (keyof Row & string)[]): Value[] {
    return wanted.map((member) => {
      const value = record[member] as Value;
      if (this.#columns[member] === 'plain' || value === null) return value;
      return this.#columns[member] === 'boolean' ? Number(value) : JSON.stringify(value);
    });
  }

  #fromSql(values: readonly Value[]): Row {
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
  return `INSERT INTO ${name} (${members.map(toColumn).join(', ')}) VALUES (${placeholders(members)})`;
}

/** Returns a placeholder for each value of a list. */
export function placeholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

/** The quoted name of a member's column: `user` is a word of SQL. */
function toColumn(member: string): string {
  return `"${member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`;
}
