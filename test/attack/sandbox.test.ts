import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { pipeName } from '../../cmd/docbuilder/engine/run-directory.ts';
import type { SourceFormat, TargetFormat } from '../../cmd/docbuilder/formats.ts';
import { ooxmlParts, zip } from '../../scripts/support/documents.ts';
import { type Bench, createBench, fods, fodt, officePids, paragraph, row, skip } from '../engine/support.ts';
import { until } from '../support/until.ts';

const CANARY = 'CANARY4711';
/** A picture of one colour that no other document has: found again as its bytes or as pixels in a result. */
const RED_DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAGElEQVR4nGP4z8BAEmIgTfmohlENI1YDAKDa/wGw2QqVAAAAAElFTkSuQmCC',
  'base64',
);

/** Where an attack reaches for: a server, a picture and a text of this machine. */
interface Place {
  http: string;
  file: string;
  text: string;
}
type Attack = [name: string, from: SourceFormat, to: TargetFormat, content: (place: Place) => string | Buffer];

const image = (href: string) =>
  `<text:p><draw:frame svg:width="3cm" svg:height="3cm" text:anchor-type="as-char"><draw:image xlink:href="${href}" ` +
  'xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p>';
const section = (href: string) =>
  `<text:section text:name="s"><text:section-source xlink:href="${href}" xlink:type="simple"/><text:p/></text:section>`;
const call = (text: string) =>
  fods(`<table:table-row><table:table-cell table:formula="of:=${text}" office:value-type="string"/></table:table-row>`);

const ATTACKS: Attack[] = [
  ['linked picture, http', 'fodt', 'pdf', ({ http }) => fodt(image(`${http}/a.png`))],
  ['linked picture, file', 'fodt', 'pdf', ({ file }) => fodt(image(file))],
  ['linked picture, file to docx', 'fodt', 'docx', ({ file }) => fodt(image(file))],
  ['linked picture, path', 'fodt', 'pdf', ({ file }) => fodt(image(`../../../../..${file.slice(7)}`))],
  ['linked picture, share', 'fodt', 'pdf', ({ http }) => fodt(image(`${http.slice(5)}/share/a.png`))],
  ['section from a file', 'fodt', 'txt', ({ text }) => fodt(section(text))],
  ['section from http', 'fodt', 'txt', ({ http }) => fodt(section(`${http}/s.odt`))],
  ['rtf INCLUDEPICTURE, file', 'rtf', 'pdf', ({ file }) => rtf('INCLUDEPICTURE', file)],
  ['rtf INCLUDEPICTURE, http', 'rtf', 'pdf', ({ http }) => rtf('INCLUDEPICTURE', `${http}/r.png`)],
  ['rtf INCLUDETEXT, file', 'rtf', 'txt', ({ text }) => rtf('INCLUDETEXT', text)],
  ['WEBSERVICE', 'fods', 'csv', ({ http }) => call(`WEBSERVICE(&quot;${http}/w&quot;)`)],
  ['external cell', 'fods', 'csv', ({ text }) => call(`'${text}'#$Sheet1.A1`)],
  ['DDE', 'fods', 'csv', ({ text }) => call(`DDE(&quot;soffice&quot;;&quot;${text}&quot;;&quot;A1&quot;)`)],
  // LibreOffice 25.2 opens it and stores a picture of its text; every kernel has this file.
  ['linked object', 'xlsx', 'ods', () => workbookWithLink('file:///proc/net/tcp')],
  ['csv with WEBSERVICE', 'csv', 'xlsx', ({ http }) => `=WEBSERVICE("${http}/c")\n`],
];

const UNO = `
import sys, uno
def resolve(context, pipe):
    resolver = context.ServiceManager.createInstanceWithContext('com.sun.star.bridge.UnoUrlResolver', context)
    return resolver.resolve('uno:pipe,name=%s;urp;StarOffice.ComponentContext' % pipe)
office = resolve(uno.getComponentContext(), sys.argv[1])
try:
    resolve(office, sys.argv[2])
except Exception as error:
    print(type(error).__name__)`;

function rtf(field: string, target: string): string {
  return `{\\rtf1 {\\field{\\*\\fldinst { ${field} "${target}" }}{\\fldrslt {x}}}\\par}`;
}

/** A workbook with an object that is a link to a file. */
function workbookWithLink(target: string): Buffer {
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const sheet = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const relationships = (...list: string[]) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join('')}</Relationships>`;
  const relationship = (id: string, type: string, to: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${to}"/>`;
  const parts = ooxmlParts('xlsx');
  return zip({
    ...parts,
    '[Content_Types].xml': String(parts['[Content_Types].xml']).replace(
      '</Types>',
      '<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/><Override PartName="/xl/link.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.externalLink+xml"/></Types>',
    ),
    'xl/workbook.xml': `<workbook ${sheet} xmlns:r="${office}"><sheets><sheet name="a" sheetId="1" r:id="s"/></sheets><externalReferences><externalReference r:id="l"/></externalReferences></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships(
      relationship('s', 'worksheet', 'worksheets/sheet1.xml'),
      relationship('l', 'externalLink', 'link.xml'),
    ),
    'xl/link.xml': `<externalLink ${sheet} xmlns:r="${office}"><oleLink r:id="o" progId="Excel.Sheet.12"><oleItems><oleItem name="'" advise="1"/></oleItems></oleLink></externalLink>`,
    'xl/_rels/link.xml.rels': relationships(
      relationship('o', 'oleObject', target).replace('/>', ' TargetMode="External"/>'),
    ),
    'xl/worksheets/sheet1.xml': `<worksheet ${sheet} xmlns:r="${office}"><sheetData/><legacyDrawing r:id="d"/><oleObjects><oleObject progId="Excel.Sheet.12" link="[1]!''''" shapeId="1025"/></oleObjects></worksheet>`,
    'xl/worksheets/_rels/sheet1.xml.rels': relationships(relationship('d', 'vmlDrawing', '../shape.vml')),
    'xl/shape.vml': `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel"><v:shape id="_x0000_s1025"><x:ClientData ObjectType="Pict"><x:Anchor>1,0,1,0,4,0,6,0</x:Anchor></x:ClientData></v:shape></xml>`,
  });
}

for (const sandbox of ['namespaces', 'landlock'] as const) {
  describe(`attack: a document against the sandbox (${sandbox})`, function () {
    this.timeout(60_000);
    let bench: Bench;
    let server: Server;
    let outside: string;
    let hits = 0;
    before(async function () {
      server = createServer((socket) => {
        hits++;
        socket.destroy();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      outside = mkdtempSync(join(tmpdir(), 'svc-canary-'));
      chmodSync(outside, 0o755);
      writeFileSync(join(outside, 'canary.txt'), `${CANARY}\n`);
      writeFileSync(join(outside, 'canary.png'), RED_DOT);
      try {
        bench = await createBench({ sandbox });
      } catch (error) {
        skip(this, `${sandbox} does not work on this machine: ${(error as Error).message}`);
      }
    });
    after(async () => {
      await bench?.dispose();
      server.close();
      rmSync(outside, { recursive: true, force: true });
    });

    it('is in force: nothing is fetched, and no local byte is in a result', async () => {
      expect(bench.engine.status().sandbox).to.equal(sandbox);
      const http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const toUrl = (name: string) => `file://${join(outside, name)}`;
      const place = { http, file: toUrl('canary.png'), text: toUrl('canary.txt') };
      for (const [name, from, to, content] of ATTACKS) {
        const made = await bench.convert(content(place), from, to).catch(() => undefined);
        expect(hits, name).to.equal(0);
        if (!made) continue;
        expect(made.bytes.includes(CANARY), name).to.equal(false);
        if (to === 'pdf') expect(picturesIn(made.path), name).to.equal(0);
        if (to === 'docx') expect(made.bytes.includes('word/media/'), name).to.equal(false);
        if (to === 'ods') expect(made.bytes.includes('ObjectReplacements/'), name).to.equal(false);
      }
    });

    it('a picture inside the document is drawn: the test can see one', async () => {
      const inside = `<text:p><draw:frame svg:width="3cm" svg:height="3cm" text:anchor-type="as-char"><draw:image><office:binary-data>${RED_DOT.toString('base64')}</office:binary-data></draw:image></draw:frame></text:p>`;
      expect(picturesIn((await bench.convert(fodt(inside), 'fodt', 'pdf')).path)).to.equal(1);
    });

    it('macros never run', async () => {
      const marker = join(tmpdir(), `svc-macro-${process.pid}`);
      const basic = `Sub Main\nOpen "${marker}" For Output As #1\nClose #1\nThisComponent.Text.String = "${CANARY}"\nEnd Sub`;
      const head =
        `<office:scripts><office:script script:language="ooo:Basic"><ooo:libraries xmlns:ooo="http://openoffice.org/2004/office"><ooo:library-embedded ooo:name="Standard"><ooo:module ooo:name="M"><ooo:source-code>${basic.replaceAll('"', '&quot;')}</ooo:source-code></ooo:module></ooo:library-embedded></ooo:libraries></office:script>` +
        '<office:event-listeners><script:event-listener script:language="ooo:script" script:event-name="dom:load" xlink:href="vnd.sun.star.script:Standard.M.Main?language=Basic&amp;location=document" xlink:type="simple"/></office:event-listeners></office:scripts>';
      const made = await bench.convert(fodt(paragraph('yên lặng'), head), 'fodt', 'txt');
      expect(made.text).to.equal('yên lặng\n');
      expect(existsSync(marker)).to.equal(false);
    });

    it('LibreOffice has no capability, no way to gain one, filtered calls and an environment without secrets', () => {
      const pids = officePids();
      expect(pids).not.to.deep.equal([]);
      for (const pid of pids) {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        expect(status)
          .to.match(/CapPrm:\t0+\n/)
          .and.match(/CapEff:\t0+\n/)
          .and.match(/NoNewPrivs:\t1/)
          .and.match(/Seccomp:\t2/);
        if (process.getuid?.() === 0 && sandbox === 'namespaces') {
          expect(Number(/Uid:\t(\d+)/.exec(status)?.[1])).to.be.at.least(61_500);
          const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
            .split('\0')
            .map((entry) => entry.split('=')[0]);
          expect(names).to.include('HOME').and.not.include('SVC_TEST_SECRET').and.not.include('USER');
        }
      }
    });

    if (sandbox === 'landlock') testNeighbours(() => bench);

    it('a job finds nothing of another: its folder is gone and no other is below the worker', async () => {
      await bench.convert(fodt(paragraph(CANARY)), 'fodt', 'pdf');
      const jobs = () =>
        readdirSync(bench.workDir, { recursive: true, encoding: 'utf8' }).filter((path) => /jobs\/./.test(path));
      const second = await bench.convert(fods(row(1)), 'fods', 'csv');
      expect(second.text).not.to.include(CANARY);
      await until('no folder of a job', () => jobs().length === 0);
    });
  });
}

/** Without a process tree, a network and a /tmp of its own a worker has neighbours: other workers, the service, the machine. */
function testNeighbours(bench: () => Bench): void {
  const toSocketPath = (pipe: string): string => join('/tmp', `OSL_PIPE_${pipe}`);
  const findFirstPipe = (): string => {
    const { workDir } = bench();
    const [run = ''] = readdirSync(workDir);
    const worker = readdirSync(join(workDir, run)).find((name) => /^w\d+-\d+$/.test(name)) as string;
    return pipeName(join(workDir, run, worker));
  };

  it('the pipe by which LibreOffice takes orders is for its own user', () => {
    expect(statSync(toSocketPath(findFirstPipe())).mode & 0o777).to.equal(0o700);
  });

  it('LibreOffice connects to no pipe, so that one that was taken over gives no orders to another', async () => {
    const pipe = findFirstPipe();
    const canaryPipe = `svc_canary_${process.pid}`;
    let hits = 0;
    const canary = createServer((socket) => {
      hits++;
      socket.destroy();
    }).listen(toSocketPath(canaryPipe));
    // A process whose user has a name looks for pipes with the user's number.
    const numbered = toSocketPath(`${process.getuid?.()}_${pipe}`);
    symlinkSync(toSocketPath(pipe), numbered);
    try {
      const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', UNO, pipe, canaryPipe]);
      expect(stdout).to.include('NoConnectException');
      expect(hits).to.equal(0);
    } finally {
      rmSync(numbered);
      canary.close();
    }
  });
}

function picturesIn(pdf: string): number {
  if (existsSync('/usr/bin/pdfimages')) {
    return execFileSync('pdfimages', ['-list', pdf], { encoding: 'utf8' }).trim().split('\n').length - 2;
  }
  return readFileSync(pdf, 'latin1').split('/Subtype/Image').length - 1;
}

describe('attack: a process of a worker', () => {
  it('cannot leave the group by which the worker is ended', () => {
    const code = join(import.meta.dirname, '../../cmd/docbuilder/engine');
    const script = `
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import confine
confine.drop_privileges(None, None)
confine.seccomp()
for leave in (os.setsid, lambda: os.setpgid(0, 0)):
    if os.fork() == 0:
        try:
            leave()
            print('left', flush=True)
        except PermissionError:
            print('stayed', flush=True)
        os._exit(0)
    os.wait()`;
    const found = execFileSync('/usr/bin/python3', ['-c', script, code], { encoding: 'utf8' });
    expect(found).to.equal('stayed\nstayed\n');
  });
});

describe('attack: no sandbox', function () {
  this.timeout(30_000);

  it('the proof fails a process that is not confined', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-proof-'));
    mkdirSync(join(folder, 'x'));
    writeFileSync(join(folder, 'canary'), '');
    const code = join(import.meta.dirname, '../../cmd/docbuilder/engine');
    const script =
      'import sys; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1]); import confine, socket\n' +
      's = socket.create_server(("127.0.0.1", 0))\n' +
      'print(confine.breaches({"port": s.getsockname()[1], "file": sys.argv[2]}))';
    const found = execFileSync('/usr/bin/python3', ['-c', script, code, join(folder, 'canary')], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(found).to.include('reached a server').and.include('read a file');
  });
});
