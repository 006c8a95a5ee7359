import { expect } from 'chai';
import { IMAGE_FORMATS, type ImageFormat } from '../../cmd/docbuilder/formats.ts';
import { describePicture, type Pixels, readPng } from './pixels.ts';
import { findFailure, fodp, fods, fodt, MASTER_NAME, paragraph, row, slide, useBench } from './support.ts';

const STYLES = `<office:automatic-styles>
<style:style style:name="B" style:family="paragraph"><style:paragraph-properties fo:break-before="page" fo:background-color="#c00000"/></style:style>
<style:style style:name="R" style:family="table-row"><style:table-row-properties fo:break-before="page"/></style:style>
<style:page-layout style:name="L"><style:page-layout-properties fo:page-width="10cm" fo:page-height="20cm" fo:margin="1cm"/></style:page-layout>
</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="L"/>
<style:master-page style:name="Default" style:page-layout-name="L"/></office:master-styles>`;

/** Two pages each; pages of texts and sheets are 10 x 20 cm, slides 16:9. */
const DOCUMENTS = {
  fodt: fodt(`${paragraph('Trang một '.repeat(9))}<text:p text:style-name="B">Trang hai</text:p>`, STYLES),
  fods: fods(
    row('Trang một', 1) + row('Trang hai', 2).replace('<table:table-row', '<table:table-row table:style-name="R"'),
    STYLES,
  ),
  fodp: fodp(slide('Trang một') + slide('Trang hai dài hơn nhiều')),
};
const SOURCES = ['fodt', 'fods', 'fodp'] as const;

describe('engine: pictures of pages', function () {
  this.timeout(30_000);
  const bench = useBench();

  async function picture(from: (typeof SOURCES)[number], to: ImageFormat, page: number, width: number, height: number) {
    const [made] = await bench.make(DOCUMENTS[from], from, [{ to, image: { page, width, height } }]);
    return made;
  }

  /** The pixels of any picture: LibreOffice stretches it over a slide, which comes back as PNG. */
  async function decode(bytes: Buffer): Promise<Pixels> {
    const frame = `<draw:frame svg:width="28cm" svg:height="15.75cm"><draw:image><office:binary-data>${bytes.toString('base64')}</office:binary-data></draw:image></draw:frame>`;
    const content = fodp(`<draw:page draw:name="x" draw:master-page-name="${MASTER_NAME}">${frame}</draw:page>`);
    const [made] = await bench.make(content, 'fodp', [{ to: 'png', image: { page: 1, width: 1600, height: 900 } }]);
    return readPng(made.bytes);
  }

  for (const from of SOURCES) {
    it(`${from}: pages 1 and 2 differ, in every format, and lie in the box with the page's proportions`, async () => {
      for (const to of IMAGE_FORMATS) {
        const [first, second] = [await picture(from, to, 1, 240, 240), await picture(from, to, 2, 240, 240)];
        expect([first.pages, second.pages]).to.deep.equal([1, 1]);
        const size = from === 'fodp' ? [240, 135] : [120, 240];
        expect(describePicture(first.bytes), to).to.deep.equal([to, ...size]);
        expect(describePicture(second.bytes), to).to.deep.equal([to, ...size]);
        expect(first.bytes.equals(second.bytes), to).to.equal(false);
        for (const { bytes } of [first, second]) {
          const pixels = to === 'png' ? readPng(bytes) : await decode(bytes);
          expect(pixels.ink, to).to.be.within(0.002, 0.4);
        }
      }
    });
  }

  it('page 99 is page_range, one that needs more memory than it may have is memory, and neither costs a worker', async () => {
    const restarts = bench.restarts();
    for (const from of SOURCES) {
      for (const to of IMAGE_FORMATS) {
        expect(await findFailure(picture(from, to, 99, 100, 100))).to.include({ reason: 'page_range' });
      }
      await picture(from, 'png', 1, 100, 100);
    }
    expect(await findFailure(picture('fodp', 'png', 1, 20_000, 20_000))).to.include({ reason: 'memory' });
    await picture('fodp', 'png', 1, 100, 100);
    expect(bench.restarts()).to.equal(restarts);
  });

  it('the background is white and colours are right', async () => {
    for (const to of IMAGE_FORMATS) {
      const { bytes } = await picture('fodt', to, 2, 200, 400);
      const pixels = to === 'png' ? readPng(bytes) : await decode(bytes);
      expect(pixels.at(5, 5), to).to.deep.equal([255, 255, 255]);
      const [red, green, blue] = pixels.at(Math.floor(0.85 * pixels.width), Math.floor((1.2 / 20) * pixels.height));
      expect(red, to).to.be.within(0xb0, 0xd0);
      expect(Math.max(green, blue), to).to.be.below(0x20);
    }
  });

  it('the box may be wide, tall, tiny or larger than the page', async () => {
    for (const [box, size] of Object.entries({
      ...{ '1000x100': [50, 100], '100x1000': [100, 200], '1x1': [1, 1], '2000x2000': [1000, 2000] },
    })) {
      const [width = 0, height = 0] = box.split('x').map(Number);
      const { bytes } = await picture('fodt', 'png', 1, width, height);
      expect(describePicture(bytes).slice(1), box).to.deep.equal(size);
    }
  });

  it('a slide that is not shown keeps its number', async () => {
    const hidden = `<office:automatic-styles><style:style style:name="H" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>`;
    const content = fodp(slide('một') + slide('hai ẩn') + slide('ba'))
      .replace('<office:automatic-styles>', hidden)
      .replace('draw:name="hai ẩn"', 'draw:name="hai ẩn" draw:style-name="H"');
    const image = (page: number) => ({ to: 'png', image: { page, width: 200, height: 200 } }) as const;
    const [pdf, ...pictures] = await bench.make(content, 'fodp', [{ to: 'pdf' }, image(1), image(2), image(3)]);
    expect(pdf.pages).to.equal(2);
    expect(new Set(pictures.map(({ bytes }) => bytes.toString('latin1'))).size).to.equal(3);
    expect(await findFailure(bench.make(content, 'fodp', [image(4)]))).to.include({ reason: 'page_range' });
  });

  it('an empty text and an empty sheet have an empty page', async () => {
    const image = { to: 'png', image: { page: 1, width: 100, height: 100 } } as const;
    const sheet = fods('<table:table-row><table:table-cell/></table:table-row>');
    expect(readPng((await bench.make(fodt(''), 'fodt', [image]))[0].bytes).ink).to.equal(0);
    // Newer versions print its name and number.
    expect(readPng((await bench.make(sheet, 'fods', [image]))[0].bytes).ink).to.be.below(0.005);
  });
});
