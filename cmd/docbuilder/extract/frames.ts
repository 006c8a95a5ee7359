import { addLines, addMark, closeParagraph, createFlow, linesText, openParagraph } from './flow.ts';
import { metafileLines } from './metafile.ts';
import type { Reader } from './reader.ts';
import { type Attributes, type Elements, type Open, SKIP } from './sax.ts';
import type { TextStyle } from './styles.ts';

/** Deeper frames become part of the frame around, so that their lines are not copied over and over. */
const MAX_DEPTH = 32;

/** The elements that are, or hold, a shape. The members of a group are read one by one. */
const SHAPES = [
  ...['frame', 'custom-shape', 'rect', 'ellipse', 'circle', 'line', 'polyline', 'polygon', 'regular-polygon'],
  ...['path', 'connector', 'caption', 'measure'],
].map((name) => `draw:${name}`);

/**
 * Handlers of shapes, form controls, pictures and embedded objects (ODF 1.3 part 3, section 10).
 * @param shape reads a shape; unless given, its text follows the paragraph that it is anchored in
 */
export function frameElements(reader: Reader, shape: Open = (attributes) => readShape(reader, attributes)): Elements {
  const hasContent: Open = () => {
    reader.frame = 'content';
    return undefined;
  };
  return {
    ...Object.fromEntries(SHAPES.map((name) => [name, shape])),
    ...controlElements(reader, shape),
    ...objectElements(reader),
    ...pictureElements(reader),
    'draw:text-box': hasContent,
  };
}

function readShape(reader: Reader, attributes: Attributes): ReturnType<Open> {
  if (reader.style.hidden) return SKIP;
  if (reader.depth >= MAX_DEPTH) return undefined;
  const { flow: outer } = reader;
  const flow = createFlow();
  const restore = reader.divert(flow, { style: enterShape(reader, attributes) });
  return () => {
    restore();
    const isFormula = reader.frame === 'formula';
    reader.frame = 'content';
    // In a sentence it is a part of it.
    if (isFormula && attributes['text:anchor-type'] === 'as-char' && outer.paragraph) {
      addMark(outer.paragraph, linesText(flow.lines).trim());
    } else addLines(outer, flow.lines);
  };
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
 * Handlers of form controls (ODF 1.3 part 3, section 13), which are declared before the text that shows them. A control
 * shows its value or its label, as text of a shape.
 */
function controlElements(reader: Reader, shape: Open): Elements {
  const texts = new Map<string, string>();
  let id = '';
  const control: Open = (attributes) => {
    const { 'form:current-value': current, 'form:label': label, 'form:value': value } = attributes;
    id = attributes['xml:id'] ?? attributes['form:id'] ?? '';
    texts.set(id, current ?? label ?? value ?? '');
    return undefined;
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
      close?.();
      return SKIP;
    },
  };
}

/**
 * Handlers of embedded objects. An object in XML, such as a chart, is a document inside the document: its titles,
 * categories and values are text of the frame. Its styles have the same names as styles of the document around. A formula
 * is a line with its signs in order, as MathML has them; the annotation repeats them in LibreOffice's own language.
 */
function objectElements(reader: Reader): Elements {
  let depth = 0;
  const part: Open = () => (depth > 0 ? SKIP : undefined);
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
    'office:styles': part,
    'office:automatic-styles': part,
    'office:master-styles': part,
    'office:font-face-decls': part,
  };
}

/**
 * Handlers of pictures (ODF 1.3 part 3, section 10.4.4). The text that a metafile draws is text of the frame; it may be
 * all that is left of an embedded object. A picture beside other content only stands for it.
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
