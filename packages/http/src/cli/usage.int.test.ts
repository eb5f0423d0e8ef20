import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { runPetstore } from "../../test/support/runPetstore.ts"

interface Call {
  readonly args: string
  readonly environment?: Readonly<Record<string, string>>
  readonly says: string
}

const refused: Readonly<Record<string, Call>> = {
  "no command": {
    args: "",
    says: "Missing command. Choose one of serve, call, keys, console, events, webhooks, import, export, verify, backup, restore, copy, migrate, doctor, prove, openapi. See petstore --help."
  },
  "half a command": {
    args: "keys",
    says: "Missing command. Choose one of create, revoke, rotate. See petstore keys --help."
  },
  "an unknown command": {
    args: "sreve",
    says: 'Unknown command "sreve"; did you mean serve? See petstore --help.'
  },
  "an unknown command that is far from all": {
    args: "top",
    says: 'Unknown command "top". See petstore --help.'
  },
  "an unknown flag": {
    args: "serve --prot 80",
    says: "Unknown flag --prot; did you mean --port? See petstore serve --help."
  },
  "a flag of another command": {
    args: "verify --port 80",
    says: "Unknown flag --port. See petstore verify --help."
  },
  "a flag without its value": {
    args: "serve --port",
    says: "--port needs a value. See petstore serve --help."
  },
  "a flag twice": {
    args: "serve --port 1 --port 2",
    says: '--port takes at most 1 value, not "2 occurrences". See petstore serve --help.'
  },
  "a bad port": {
    args: "serve --port 70000",
    says: '--port takes a port from 0 to 65535, not "70000". See petstore serve --help.'
  },
  "a bad port in the environment": {
    args: "serve",
    environment: { PORT: "http" },
    says: 'PORT takes a port from 0 to 65535, not "http". See petstore serve --help.'
  },
  "a schema for SQLite": {
    args: "verify --storage sqlite:/tmp/pets.db --schema shop",
    says: "--schema and PETSTORE_SCHEMA are for PostgreSQL; on SQLite use --table-prefix."
  },
  "a replica for SQLite": {
    args: "serve --storage memory: --port 0 --replica postgres://u:secret@standby/d",
    says: "--replica and PETSTORE_REPLICA are for PostgreSQL."
  },
  "a timeout for SQLite": {
    args: "serve --storage sqlite:/tmp/pets.db --port 0",
    environment: { PETSTORE_LOCK_TIMEOUT: "1 second" },
    says: "--lock-timeout and PETSTORE_LOCK_TIMEOUT are for PostgreSQL."
  },
  "a table prefix for PostgreSQL": {
    args: "verify --storage postgres://u:secret@h/d --table-prefix shop_",
    says: "--table-prefix and PETSTORE_TABLE_PREFIX are for SQLite; on PostgreSQL use --schema."
  },
  "a backup of PostgreSQL": {
    args: "backup pets.dump --storage postgres://u:secret@h/d --schema shop",
    says: 'petstore backup copies SQLite files. Back up PostgreSQL with its own tools: pg_dump --format=custom --schema=shop --file="pets.dump" "$PETSTORE_STORAGE"; restore with pg_restore.'
  },
  "several bad values": {
    args: "serve --port x --host !",
    says: '--port takes a port from 0 to 65535, not "x". See petstore serve --help.'
  },
  "a bad secret key": {
    args: "serve --storage memory: --port 0",
    environment: { PETSTORE_SECRET_KEY: "too short" },
    says: "PETSTORE_SECRET_KEY takes 32 random bytes in base64, as openssl rand -base64 32 prints them, or several such keys separated by commas. See petstore serve --help."
  },
  "a bad admin key": {
    args: "serve --storage memory: --port 0",
    environment: { PETSTORE_ADMIN_KEY: "too short" },
    says: "PETSTORE_ADMIN_KEY takes 20 or more letters, digits and any of -._~+/, with = at the end only."
  },
  "a collector with a user": {
    args: "serve --storage memory: --port 0 --otlp http://user:secret-7@127.0.0.1:4318",
    says: '--otlp takes off, or an http or https URL without a user or password, not "http://...@127.0.0.1:4318". See petstore serve --help.'
  },
  "a variable with a typing error": {
    args: "serve --storage memory: --port 0",
    environment: { PETSTORE_SECRET_KEY_FIEL: "/run/secrets/petstore" },
    says: "Unknown environment variable: PETSTORE_SECRET_KEY_FIEL (did you mean PETSTORE_SECRET_KEY_FILE?). Nothing was started. Correct the name, or unset the variable."
  },
  "a variable with the prefix of others": {
    args: "call listApiKeys",
    environment: { PETSTORE_HOST: "0.0.0.0" },
    says: "Unknown environment variable: PETSTORE_HOST (did you mean HOST?). Nothing was started. Correct the name, or unset the variable."
  },
  "variables that nothing reads": {
    args: "verify",
    environment: { PETSTORE_COLOUR: "red", PETSTORE_PROT: "tcp", PETSTORE_storage: "memory:" },
    says: "Unknown environment variable: PETSTORE_COLOUR, PETSTORE_PROT (did you mean PORT?), PETSTORE_storage (did you mean PETSTORE_STORAGE?). Nothing was started. Correct the name, or unset the variable."
  },
  "a folder to import": {
    args: "import /",
    says: '"/" is a directory, not a file; import its files one by one.'
  },
  "a wrong parameter in the URL of a database": {
    args: "verify --storage postgres://u:secret@h/d?prepare=maybe",
    says: "The parameter prepare of the URL takes true or false."
  },
  "a parameter twice in the URL of a database": {
    args: "serve --port 0 --storage postgres://u:secret@h/d?prepare=true&prepare=false",
    says: "The URL has the parameter prepare twice. Keep one of them."
  },
  "an option of the adapter in the URL of a database": {
    args: "migrate --storage postgres://u:secret@h/d?lockTimeout=5",
    says: "The parameter lockTimeout of the URL is not read. Remove it from the URL, and set the option lockTimeout, or --lock-timeout of the command petstore."
  },
  "a missing file to import": { args: "import", says: "FILE is missing. See petstore import --help." },
  "two files to import": {
    args: "import a.csv b.csv",
    says: 'Unexpected argument "b.csv". See petstore import --help.'
  },
  "a URL in the place of a file": {
    args: "backup sqlite:copy.db",
    says: 'FILE takes the path of a file, with nothing before it, not "sqlite:copy.db". See petstore backup --help.'
  },
  "a URL in the place of a backup": {
    args: "restore sqlite:copy.db",
    says: 'BACKUP takes the path of a file, with nothing before it, not "sqlite:copy.db". See petstore restore --help.'
  },
  "a URL in the place of a file to export": {
    args: "export pets file:///pets.csv",
    says: 'FILE takes the path of a file, with nothing before it, not "file:///pets.csv". See petstore export pets --help.'
  },
  "a missing account": {
    args: "keys create --preset read",
    says: "--account is missing. See petstore keys create --help."
  },
  "neither preset nor scopes": { args: "keys create --account shop", says: "Give either --preset or --scopes." },
  "both preset and scopes": {
    args: "keys create --account shop --preset read --scopes pets:read",
    says: "Give either --preset or --scopes."
  },
  "an unknown preset": {
    args: "keys create --account shop --preset root",
    says: '--preset takes "read" | "write" | "admin" | "storefront" | "warehouse" | "customer", not "root". See petstore keys create --help.'
  },
  "an unknown scope": {
    args: "keys create --account shop --scopes pets:read,pets:pet",
    says: '--scopes: Expected "pets:read", "pets:write", "inventory:read", "inventory:write", "orders:read", "orders:write", "orders:fulfil", "orders:own", "orders:owners", "messages:read", "messages:write", "events:read", "events:pets", "events:inventory", "events:orders", "events:messages", "events:webhooks", "webhooks:read", "webhooks:write", "stats:read", "consumers:read", "consumers:write" or "admin", not "pets:pet".'
  },
  "a bad time": {
    args: "keys create --account shop --preset read --expires-at tomorrow",
    says: '--expires-at: Expected an RFC 3339 date-time with an offset, such as 2026-05-04T09:30:00Z, not "tomorrow".'
  },
  "a time that has passed": {
    args: "keys create --account shop --preset read --expires-at 1969-12-31T23:59:59Z",
    says: "--expires-at: Expected a time in the future."
  },
  "an id that is none": {
    args: "keys revoke 0",
    says: 'ID takes a whole number from 1 to 9007199254740991, not "0". See petstore keys revoke --help.'
  },
  "a bad grace period": {
    args: "keys rotate 1 --grace-seconds 604801",
    says: '--grace-seconds takes a whole number from 0 to 604800, not "604801". See petstore keys rotate --help.'
  },
  "a proof on what is no cluster": {
    args: "prove sqlite:pets.db --yes",
    says: 'URL takes postgres://USER@HOST/DATABASE, not "sqlite:pets.db". See petstore prove --help.'
  },
  "a proof that is not confirmed": {
    args: "prove postgres://u:secret@h/d",
    says: "petstore prove creates the schema petstore_prove at h:5432, database d, makes up to 100000 calls on it, and drops it. Add --yes if that is a cluster for tests."
  },
  "a proof that is too long": {
    args: "prove postgres://u@h/d --yes --duration 3601",
    says: '--duration takes a whole number from 1 to 3600, not "3601". See petstore prove --help.'
  },
  "a log of no proof": {
    args: "prove postgres://u@h/d --yes --resume /nowhere/log",
    says: '"/nowhere/log" cannot be read; name the log of a proof with --resume.'
  },
  "a database that is not there": {
    args: "verify --storage sqlite:/nowhere/pets.db",
    says: 'The directory "/nowhere" does not exist; create it, or correct the path.'
  },
  "a database in a file": {
    args: "verify --storage sqlite:/dev/null/pets.db",
    says: 'The directory "/dev/null" is a file; correct the path.'
  },
  "a folder for a database": {
    args: "verify --storage sqlite:/",
    says: '"/" is a directory, not a file; name a file in it, such as petstore.db.'
  }
}

describe("a call that is wrong", () => {
  for (const [name, { args, environment, says }] of Object.entries(refused)) {
    it.effect(`given ${name}, then one line on standard error reports it, and the exit code is 2`, () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* runPetstore(args.split(" ").filter(Boolean), environment)
        assert.deepStrictEqual({ code, stderr, stdout }, { code: 2, stderr: [`petstore: ${says}`], stdout: [] })
      })
    )
  }
})

describe("--help", () => {
  for (const command of [
    "",
    "serve",
    "keys",
    "keys create",
    "keys revoke",
    "keys rotate",
    "events",
    "events tail",
    "call",
    "webhooks",
    "import",
    "verify",
    "backup",
    "migrate",
    "prove",
    "openapi"
  ]) {
    it.effect(`given petstore ${command}, then its help is on standard output`, () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* runPetstore([...command.split(" ").filter(Boolean), "--help"])
        assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: [] })
        assert.include(stdout.join("\n"), `  petstore${command === "" ? "" : ` ${command}`} `)
      })
    )
  }

  it.effect("given a bad setting beside it, then the help is shown all the same", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* runPetstore(["serve", "--help"], { PORT: "x" })
      assert.strictEqual(code, 0)
      assert.include(stdout.join("\n"), "--port PORT")
    })
  )

  it.effect("given serve, then every setting is listed with its variable and default", () =>
    Effect.gen(function* () {
      const help = (yield* runPetstore(["serve", "--help"])).stdout.join("\n")
      for (const text of [
        "(default: 8080; environment: PORT)",
        "(default: 127.0.0.1; environment: HOST)",
        "(default: sqlite:./petstore.db; environment: PETSTORE_STORAGE)",
        "(default: petstore_; environment: PETSTORE_TABLE_PREFIX)",
        "(default: petstore; environment: PETSTORE_SCHEMA)",
        "(default: 60; environment: PETSTORE_STARTUP_TIMEOUT)",
        "(default: /v1; environment: PETSTORE_BASE_PATH)",
        "(default: 60000; environment: PETSTORE_RATE_LIMIT)",
        "(default: none; environment: PETSTORE_SECRET_KEY_FILE)",
        "PETSTORE_SECRET_KEY",
        "PETSTORE_ADMIN_KEY"
      ]) {
        assert.include(help, text)
      }
    })
  )
})

describe("variables of others", () => {
  it.effect(
    "given those of Kubernetes for a service petstore, of tests, and one that is empty, then the command runs",
    () =>
      Effect.gen(function* () {
        const { code, stderr } = yield* runPetstore(["openapi"], {
          PETSTORE_PORT: "tcp://10.0.0.7:80",
          PETSTORE_PORT_80_TCP: "tcp://10.0.0.7:80",
          PETSTORE_PORT_80_TCP_ADDR: "10.0.0.7",
          PETSTORE_PORT_80_TCP_PORT: "80",
          PETSTORE_PORT_80_TCP_PROTO: "tcp",
          PETSTORE_SERVICE_HOST: "10.0.0.7",
          PETSTORE_SERVICE_PORT: "80",
          PETSTORE_SERVICE_PORT_HTTP: "80",
          PETSTORE_API_SERVICE_HOST: "10.0.0.8",
          PETSTORE_TEST_POSTGRES_URL: "postgres://u@h/d",
          PETSTORE_SECRET: ""
        })
        assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: [] })
      })
  )
})

describe("--version", () => {
  it.effect("given it, then the version is printed alone", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* runPetstore(["--version"])
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: [] })
      assert.match(stdout.join("\n"), /^\d+\.\d+\.\d+$/)
    })
  )
})
