import { type Environment, readSecretFile } from '../../src/common/config.ts';
import { chooseEditor, type EditorChoice } from './editor.ts';
import { type Neighbours, parseNeighbours } from './neighbours.ts';
import { NotPossible } from './not-possible.ts';
import { isFree, isPort } from './port.ts';

/** The settings that a developer may give for the service on one machine. */
export interface Settings {
  port: number;
  editor: EditorChoice;
  /** Login of the admin console of an editor that runs already. */
  adminUser: string;
  adminPassword: string;
  neighbours: Neighbours;
  /** Embedded: folders and a database of gate and DocBuilder each. Shared: PostgreSQL and an S3 server. */
  store: 'embedded' | 'shared';
}

/** @throws {NotPossible} */
export async function readSettings(environment: Environment): Promise<Settings> {
  const port = Number(environment['PORT'] || 8080);
  if (!isPort(port)) {
    throw new NotPossible(
      `PORT=${environment['PORT']} is not a port number from 1 to 65535, such as make run PORT=8081`,
    );
  }
  const editor = chooseEditor(environment);
  const neighbours = parseNeighbours(
    environment['SVC_LOCAL_PORTS'],
    environment['SVC_EMBED_ALLOWED_ORIGINS'],
    environment['SVC_FETCH_ALLOW_HOSTS'],
  );
  if (!(await isFree(port))) throw new NotPossible(`Port ${port} is in use. Choose another: make run PORT=${port + 1}`);
  return {
    ...{ port, editor, neighbours, store: chooseStore(environment['SVC_LOCAL_STORE']) },
    adminUser: environment['SVC_ONLINE_ADMIN_USER'] || 'admin',
    adminPassword: readPassword(environment),
  };
}

function chooseStore(asked = ''): Settings['store'] {
  if (asked === '') return 'embedded';
  if (asked === 'embedded' || asked === 'shared') return asked;
  throw new NotPossible(`STORE=${asked} must be embedded or shared, such as make run STORE=shared`);
}

function readPassword(environment: Environment): string {
  const file = environment['SVC_ONLINE_ADMIN_PASSWORD_FILE'];
  if (!file) return environment['SVC_ONLINE_ADMIN_PASSWORD'] ?? '';
  try {
    return readSecretFile(file);
  } catch (error) {
    throw new NotPossible(`EDITOR_PASSWORD_FILE (SVC_ONLINE_ADMIN_PASSWORD_FILE): ${(error as Error).message}`);
  }
}
