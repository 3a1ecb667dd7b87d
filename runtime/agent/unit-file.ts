/** The systemd unit of an agent (systemd.exec(5), systemd.service(5)). It runs as root, since only root may read /proc of other users. */

export interface UnitWish {
  /** The command that starts the program. */
  readonly command: string;
  readonly dir: string;
  readonly socket: string;
  readonly metrics: string;
}

/** The text of `skep-agent.service`. */
export function unitText({ command, dir, socket, metrics }: UnitWish): string {
  return `[Unit]
Description=Skep agent: identities of this machine's workloads
Documentation=https://spiffe.io/docs/latest/spiffe-specs/spiffe_workload_api/
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
ExecStart=${command} agent run --dir ${dir} --socket ${socket} --metrics ${metrics}
Restart=always
RestartSec=2
RuntimeDirectory=skep
RuntimeDirectoryMode=0755
UMask=0077
LimitCORE=0
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=${dir}
ProtectHome=read-only
PrivateTmp=no
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
CapabilityBoundingSet=CAP_SYS_PTRACE CAP_DAC_READ_SEARCH CAP_CHOWN

[Install]
WantedBy=multi-user.target
`;
}
