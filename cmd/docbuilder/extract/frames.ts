import { addLines, addMark, closeParagraph, linesText, openParagraph } from './flow.ts';
import { metafileLines } from './metafile.ts';
import type { Reader } from './reader.ts';
import { type Attributes, type Elements, type Open, SKIP } from './sax.ts';
import type { TextStyle } from './styles.ts';

/** Deeper frames are part of the frame around, so that their lines are not copied again at each level. */
const MAX_DEPTH = 32;

/** The elements of shapes. */
const SHAPES = [
  ...['frame', 'custom-shape', 'rect', 'ellipse', 'circle', 'line', 'polyline', 'polygon', 'regular-polygon'],
  ...['path', 'connector', 'caption', 'measure'],
].map((name) => `draw:${name}`);

/**
 * Returns handlers of shapes, form controls, pictures and embedded objects (ODF 1.3 part 3, section 10).
 * @param shape reads a shape; by default its text follows the paragraph that it is anchored in
 */
export function frameElements(reader: Reader, shape: Open = (attributes) => readShape(reader, attributes)): Elements {
  return {
    ...Object.fromEntries(SHAPES.map((name) => [name, shape])),
    ...controlElements(reader, shape),
    ...objectElements(reader),
    ...pictureElements(reader),
    'draw:text-box': () => {
      reader.frame = 'content';
    },
  };
}

function readShape(reader: Reader, attributes: Attributes): ReturnType<Open> {
  if (reader.style.hidden) return SKIP;
  if (reader.depth >= MAX_DEPTH) return;
  const { flow: outer } = reader;
  return reader.divert({ style: enterShape(reader, attributes) }, (flow) => {
    const isFormula = reader.frame === 'formula';
    reader.frame = 'content';
    if (isFormula && attributes['text:anchor-type'] === 'as-char' && outer.paragraph) {
      addMark(outer.paragraph, linesText(flow.lines).trim());
    } else addLines(outer, flow.lines);
  });
}

/** Begins a shape and returns the style of its text. */
export function enterShape(reader: Reader, attributes: Attributes): TextStyle {
  const { styles } = reader;
  reader.frame = 'empty';
  const own = styles.apply(styles.base('graphic'), 'graphic', attributes['draw:style-name']);
  const placed = styles.apply(own, 'presentation', attributes['presentation:style-name']);
  return styles.apply(placed, 'paragraph', attributes['draw:text-style-name']);
}

const CONTROLS = [
  ...['button', 'checkbox', 'radio', 'fixed-text', 'frame', 'text', 'textarea', 'formatted-text', 'number', 'date'],
  ...['time', 'combobox', 'listbox'],
].map((name) => `form:${name}`);

/**
 * Returns handlers of form controls (ODF 1.3 part 3, section 13), which are declared before the shapes that show them. The
 * text of a control is its value or its label.
 */
function controlElements(reader: Reader, shape: Open): Elements {
  const texts = new Map<string, string>();
  let id = '';
  const control: Open = (attributes) => {
    const { 'form:current-value': current, 'form:label': label, 'form:value': value } = attributes;
    id = attributes['xml:id'] ?? attributes['form:id'] ?? '';
    texts.set(id, current ?? label ?? value ?? '');
  };
  return {
    ...Object.fromEntries(CONTROLS.map((name) => [name, control])),
    // The page shows the selected option of a list box.
    'form:option': ({ 'form:current-selected': selected, 'form:label': label }) => {
      if (selected === 'true') texts.set(id, label ?? '');
      return SKIP;
    },
    'draw:control': (attributes) => {
      const text = texts.get(attributes['draw:control'] ?? '')?.replaceAll(/[\t\n\r]/g, ' ');
      const close = text ? shape(attributes) : SKIP;
      if (!text || close === SKIP) return SKIP;
      reader.budget.take(text);
      addLines(reader.flow, [text]);
      if (close) close();
      return SKIP;
    },
  };
}

/**
 * Returns handlers of embedded objects. The titles, categories and values of a chart are text of the frame; its styles have
 * names of the document's styles and are skipped. A formula is a line with its signs as in MathML; its annotation repeats
 * them in LibreOffice's language.
 */
function objectElements(reader: Reader): Elements {
  let depth = 0;
  const inDocument: Open = () => (depth > 0 ? SKIP : undefined);
  const unreadable: Open = () => {
    reader.frame = 'object';
    return SKIP;
  };
  return {
    'draw:object': () => {
      const { onPage } = reader;
      Object.assign(reader, { frame: 'content', onPage: false });
      depth += 1;
      return () => {
        depth -= 1;
        reader.onPage = onPage;
      };
    },
    math: () => {
      reader.frame = 'formula';
      openParagraph(reader.flow);
      return () => closeParagraph(reader.flow);
    },
    annotation: () => SKIP,
    'draw:object-ole': unreadable,
    'draw:plugin': unreadable,
    'office:styles': inDocument,
    'office:automatic-styles': inDocument,
    'office:master-styles': inDocument,
    'office:font-face-decls': inDocument,
  };
}

/**
 * Returns handlers of pictures (ODF 1.3 part 3, section 10.4.4). The text of a metafile is text of the frame, and often all
 * of an embedded object. A picture beside other content is one of that content.
 */
function pictureElements(reader: Reader): Elements {
  let isShown = false;
  const picture = reader.capture((base64) => {
    const lines = metafileLines(base64);
    for (const line of lines) reader.budget.take(line);
    addLines(reader.flow, lines);
  });
  return {
    'draw:image': () => {
      if (reader.frame === 'empty' && reader.onPage) reader.images += 1;
      isShown = reader.frame === 'empty' || reader.frame === 'object';
      if (isShown) reader.frame = 'content';
      return isShown ? undefined : SKIP;
    },
    'office:binary-data': (attributes) => {
      if (!isShown) return SKIP;
      isShown = false;
      return picture(attributes);
    },
  };
}
