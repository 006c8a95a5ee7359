import { AppError } from '../../../../src/common/errors.ts';
import type { Image, ImageElement, Script } from '../../../../src/common/generated/script.ts';
import { scriptError } from './check.ts';
import { isWhole, pictureSize } from './picture-file.ts';

/** A picture of a script, fetched or decoded, and known to be one. */
export interface Picture {
  base64: string;
  mediaType: (typeof MEDIA_TYPES)[keyof typeof MEDIA_TYPES];
  /** Natural size at 96 dots per inch, millimetres. */
  width: number;
  height: number;
}

const MEDIA_TYPES = { png: 'image/png', jpg: 'image/jpeg', gif: 'image/gif' } as const;
const MM_PER_PIXEL = 25.4 / 96;
export const MAX_PICTURE_BYTES = 10 * 1024 * 1024;
/** More than a camera makes; the engine holds four bytes for each. */
const MAX_PIXELS = 100_000_000;

/** An image of a script and where it stands. */
export interface PlacedImage {
  path: string;
  image: Image | ImageElement;
}

/** Every image of a script, with its JSON Pointer. */
export function* getImages({ body = [], slides = [] }: Script): Generator<PlacedImage> {
  for (const [index, block] of body.entries())
    if (block.type === 'image') yield { path: `/body/${index}`, image: block };
  for (const [index, { elements = [] }] of slides.entries()) {
    for (const [place, element] of elements.entries()) {
      if (element.type === 'image') yield { path: `/slides/${index}/elements/${place}`, image: element };
    }
  }
}

/**
 * The picture that is in the script itself (contract: run-time checks, base64 images).
 * @param path of the image in the script
 * @throws {AppError} `script_error`
 */
export function decodedPicture(base64: string, path: string): Picture {
  const text = base64.replace(/^data:[a-z]+\/[a-z0-9.+-]+;base64,/i, '').replace(/\s+/g, '');
  const place = `${path}/base64`;
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    throw scriptError({ path: place, message: 'không phải base64 hợp lệ' });
  }
  return { base64: text, ...looked(Buffer.from(text, 'base64'), place) };
}

/**
 * A picture's bytes as a picture.
 * @param path of what the bytes come from, `base64` or `url`
 * @throws {AppError} `script_error` for what is no picture, or too large a one
 */
export function picture(bytes: Buffer, path: string): Picture {
  return { base64: bytes.toString('base64'), ...looked(bytes, path) };
}

function looked(bytes: Buffer, path: string): Omit<Picture, 'base64'> {
  if (bytes.length > MAX_PICTURE_BYTES) throw scriptError({ path, message: 'lớn hơn 10 MB' });
  const { type, width, height } = pictureSize(bytes) ?? {};
  if (!type || !width || !height) throw scriptError({ path, message: 'không phải hình ảnh PNG, JPEG hay GIF' });
  if (width * height > MAX_PIXELS) throw scriptError({ path, message: `có hơn ${MAX_PIXELS} điểm ảnh` });
  if (!isWhole(bytes, type)) throw scriptError({ path, message: 'là hình ảnh bị hỏng hoặc bị cắt cụt' });
  return {
    mediaType: MEDIA_TYPES[type],
    width: width * MM_PER_PIXEL,
    height: height * MM_PER_PIXEL,
  };
}

/** An error of fetching a picture, with its place in the script. */
export function atPlace(error: unknown, path: string): unknown {
  if (!(error instanceof AppError)) return error;
  return new AppError(error.code, { ...error.detail, path }, { cause: error });
}
