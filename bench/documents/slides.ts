import { flatDocument, picture, repeat } from './flat.ts';
import { chart } from './picture.ts';

const WIDTH = 28;
const HEIGHT = 15.75;

const AUTOMATIC_STYLES = `
<style:page-layout style:name="screen"><style:page-layout-properties fo:page-width="${WIDTH}cm" fo:page-height="${HEIGHT}cm" fo:margin="0cm" style:print-orientation="landscape"/></style:page-layout>
<style:style style:name="ground" style:family="drawing-page"><style:drawing-page-properties draw:fill="solid" draw:fill-color="#f4f7fb" presentation:background-visible="true"/></style:style>
<style:style style:name="plain" style:family="presentation"><style:graphic-properties draw:fill="none" draw:stroke="none"/></style:style>
<style:style style:name="large" style:family="paragraph"><style:text-properties fo:font-size="32pt" fo:font-weight="bold" fo:color="#1f4e79"/></style:style>
<style:style style:name="normal" style:family="paragraph"><style:text-properties fo:font-size="18pt"/></style:style>`;

const MASTER_STYLES =
  '<style:master-page style:name="Default" style:page-layout-name="screen" draw:style-name="ground"/>';

function frame(kind: string, place: [x: number, y: number, width: number, height: number], content: string): string {
  const [x, y, width, height] = place;
  return `<draw:frame presentation:style-name="plain" presentation:class="${kind}" svg:x="${x}cm" svg:y="${y}cm" svg:width="${width}cm" svg:height="${height}cm"><draw:text-box>${content}</draw:text-box></draw:frame>`;
}

/** Three slides with a title, a list and a picture each. Flat ODF. */
export function deck(): Buffer {
  const items = ['Doanh thu tăng 12 %', 'Chi phí giảm 4,5 %', 'Mở rộng ba chi nhánh mới'];
  const slide = (n: number): string => {
    const list = items.map(
      (item) => `<text:list-item><text:p text:style-name="normal">${item}</text:p></text:list-item>`,
    );
    return `<draw:page draw:name="Trang ${n}" draw:style-name="ground" draw:master-page-name="Default">
${frame('title', [1.5, 0.8, 25, 2], `<text:p text:style-name="large">Kế hoạch phát triển, phần ${n}</text:p>`)}
${frame('outline', [1.5, 3.5, 11, 9], `<text:list>${list.join('')}</text:list>`)}
${picture(chart(640, 360, n), 12, 6.75, 'svg:x="14cm" svg:y="4.5cm"')}</draw:page>`;
  };
  return flatDocument({
    kind: 'presentation',
    automaticStyles: AUTOMATIC_STYLES,
    masterStyles: MASTER_STYLES,
    body: repeat(3, slide),
  });
}
