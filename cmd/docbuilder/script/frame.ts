import type { Picture } from './check/pictures.ts';
import type { Styles } from './styles.ts';
import { type Attributes, element, escapeXml, mm } from './xml.ts';

/** A size in millimetres. */
export interface Size {
  width: number;
  height: number;
}

/** A picture's size with the given width, height or both: one alone keeps the proportions. */
export function pictureSize(picture: Size, { width, height }: Partial<Size>): Size {
  return {
    width: width ?? (height === undefined ? picture.width : (height * picture.width) / picture.height),
    height: height ?? (width === undefined ? picture.height : (width * picture.height) / picture.width),
  };
}

/** The size, scaled down to fit into a room. */
export function fitted({ width, height }: Size, room: Size): Size {
  const scale = Math.min(1, room.width / width, room.height / height);
  return { width: width * scale, height: height * scale };
}

/** By default LibreOffice draws blue boxes. */
export const INVISIBLE = { 'draw:fill': 'none', 'draw:stroke': 'none' };

/** A picture as `draw:frame`. @param attributes of the frame besides its size */
export function pictureFrame(picture: Picture, size: Size, attributes: Attributes, alt?: string): string {
  const content =
    `<draw:image xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad" draw:mime-type="${picture.mediaType}">` +
    `<office:binary-data>${picture.base64}</office:binary-data></draw:image>` +
    description(alt);
  return element('draw:frame', { ...attributes, 'svg:width': mm(size.width), 'svg:height': mm(size.height) }, content);
}

/** Text for those who cannot see a picture. */
export function description(alt: string | undefined): string {
  return alt ? element('svg:desc', {}, escapeXml(alt)) : '';
}

/** An upright picture as `draw:frame` with its upper left corner at `x`, `y` (millimetres). @param attributes as above */
export function placedPicture(
  picture: Picture,
  { width, height }: Size,
  { x, y }: { x: number; y: number },
  styles: Styles,
  attributes: Attributes = {},
  alt?: string,
): string {
  const { degrees = 0, mirrored = false } = picture.turn ?? {};
  const look = { ...INVISIBLE, 'style:mirror': mirrored ? 'horizontal' : undefined };
  // It is turned about its corner, which is then moved to where that corner is in the upright picture.
  const corner = `${mm(degrees === 90 ? x : x + width)} ${mm(degrees === -90 ? y : y + height)}`;
  const place = degrees
    ? { 'draw:transform': `rotate(${(degrees * Math.PI) / 180}) translate(${corner})` }
    : { 'svg:x': mm(x), 'svg:y': mm(y) };
  const size = degrees % 180 === 0 ? { width, height } : { width: height, height: width };
  return pictureFrame(picture, size, { 'draw:style-name': styles.of('graphic', look), ...attributes, ...place }, alt);
}
