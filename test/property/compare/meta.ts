import type { Meta } from '../../../src/common/generated/script.ts';
import type { MetaFacts } from '../support/facts.ts';
import type { Report } from '../support/report.ts';

/** What a document says about itself. */
export function compareMeta(meta: Meta = {}, facts: MetaFacts, report: Report): void {
  for (const name of ['title', 'subject', 'author', 'description'] as const) {
    if (meta[name] !== undefined) report.same(`/meta/${name}`, meta[name], facts[name]);
  }
  report.same('/meta/keywords', JSON.stringify(meta.keywords ?? []), JSON.stringify(facts.keywords));
  const lang = meta.lang ?? 'vi-VN';
  report.holds('/meta/lang', facts.language.includes(lang), `${lang} is not in ${facts.language}`);
}
