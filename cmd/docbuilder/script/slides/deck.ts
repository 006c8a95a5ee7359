import type { Slide } from '../../../../src/common/generated/script.ts';
import type { Picture } from '../flat.ts';
import type { Styles } from '../styles.ts';
import type { Places } from './layouts.ts';
import type { Theme } from './theme.ts';

/** The parts that all slides of a document share. */
export interface Deck {
  theme: Theme;
  places: Places;
  styles: Styles;
  /** By JSON Pointer of the image element. */
  pictures: ReadonlyMap<string, Picture>;
}

/** Background of a slide: its own, its layout's, or that of all slides. */
export function getBackground({ layout, background }: Pick<Slide, 'layout' | 'background'>, theme: Theme): string {
  return background ?? (layout === 'section' ? theme.accent : theme.background);
}
