import type { Picture } from './check/pictures.ts';
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

/** A picture as `draw:frame`. @param attributes of the frame besides its size: style, place, anchor */
export function pictureFrame(picture: Picture, size: Size, attributes: Attributes, alt?: string): string {
  const content =
    `<draw:image xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad" draw:mime-type="${picture.mediaType}">` +
    `<office:binary-data>${picture.base64}</office:binary-data></draw:image>` +
    (alt ? element('svg:desc', {}, escapeXml(alt)) : '');
  return element('draw:frame', { ...attributes, 'svg:width': mm(size.width), 'svg:height': mm(size.height) }, content);
}
