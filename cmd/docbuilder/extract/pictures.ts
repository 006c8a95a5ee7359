import { addLines } from './flow.ts';
import { linesOfMetafile } from './metafile/lines.ts';
import type { Reader } from './reader.ts';
import { type Elements, SKIP } from './walk.ts';

/**
 * Pictures (ODF 1.3 part 3, section 10.4.4): what a metafile writes is text of the frame. It may be all that is left of
 * an embedded object, or a drawing that was pasted; fonts and words are not counted.
 */
export function pictureElements(reader: Reader): Elements {
  let isShown = false;
  return {
    'draw:image': () => {
      if (reader.frame === 'empty') reader.onImage?.();
      isShown = reader.frame !== 'content';
      reader.frame = 'content';
      return isShown ? undefined : SKIP;
    },
    'office:binary-data': () => {
      if (!isShown) return SKIP;
      isShown = false;
      reader.raw = '';
      return () => {
        const lines = linesOfMetafile(reader.raw ?? '');
        reader.raw = undefined;
        for (const line of lines) reader.output.take(line);
        addLines(reader.flow, lines);
      };
    },
  };
}
