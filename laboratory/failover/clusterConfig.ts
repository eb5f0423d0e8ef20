/** Where a node of the cluster listens. */
export interface NodePorts {
  readonly etcdClient: number
  readonly etcdPeer: number
  readonly patroni: number
  readonly postgres: number
}

/** A node of PostgreSQL under Patroni. */
export interface NodeSettings extends NodePorts {
  readonly name: string
  /** The folder of its data. */
  readonly data: string
}

const host = "127.0.0.1"
const trust = ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]

/** The arguments of one of the etcd servers, which all know each other. */
export const etcdArguments = (at: number, nodes: ReadonlyArray<NodePorts>, data: string): ReadonlyArray<string> => {
  const peer = ({ etcdPeer }: NodePorts) => `http://${host}:${etcdPeer}`
  const own = nodes[at]
  if (own === undefined) throw new Error(`There is no node ${at}`)
  const client = `http://${host}:${own.etcdClient}`
  return [
    ...["--name", `e${at + 1}`, "--data-dir", data],
    ...["--listen-client-urls", client, "--advertise-client-urls", client],
    ...["--listen-peer-urls", peer(own), "--initial-advertise-peer-urls", peer(own)],
    ...["--initial-cluster", nodes.map((node, index) => `e${index + 1}=${peer(node)}`).join(",")],
    ...["--initial-cluster-state", "new", "--enable-v2=false", "--log-level", "warn"]
  ]
}

/** The configuration of Patroni on a node. `isQuorum`: any standby may confirm a commit, which Patroni 4 knows. */
export const patroniConfig = (
  own: NodeSettings,
  nodes: ReadonlyArray<NodePorts>,
  binaries: string,
  isQuorum: boolean
): object => ({
  scope: "petstore",
  name: own.name,
  restapi: { listen: `${host}:${own.patroni}`, connect_address: `${host}:${own.patroni}` },
  etcd3: { hosts: nodes.map(({ etcdClient }) => `${host}:${etcdClient}`) },
  bootstrap: {
    dcs: {
      // The least that Patroni takes. A leader that dies is replaced when its lease has run out.
      ttl: 20,
      loop_wait: 2,
      retry_timeout: 5,
      synchronous_mode: isQuorum ? "quorum" : true,
      // Without a standby nothing is committed: no acknowledged order may exist on one machine only.
      synchronous_mode_strict: true,
      postgresql: {
        use_pg_rewind: true,
        use_slots: true,
        parameters: {
          synchronous_commit: "on",
          wal_log_hints: "on",
          shared_buffers: "32MB",
          max_connections: 100,
          unix_socket_directories: ""
        }
      }
    },
    initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"],
    pg_hba: trust
  },
  postgresql: {
    listen: `${host}:${own.postgres}`,
    connect_address: `${host}:${own.postgres}`,
    data_dir: own.data,
    bin_dir: binaries,
    pgpass: `${own.data}.pgpass`,
    authentication: {
      superuser: { username: "postgres", password: "postgres" },
      replication: { username: "replicator", password: "replicator" },
      rewind: { username: "postgres", password: "postgres" }
    }
  }
})

/** HAProxy sends every connection to the node that Patroni says is the leader, and closes those to others. */
export const haproxyConfig = (port: number, nodes: ReadonlyArray<NodeSettings>): string => `
global
  maxconn 400
defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 1s
listen primary
  bind ${host}:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 1 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} ${host}:${node.postgres} check port ${node.patroni}\n`).join("")}`
