// Names of files that agents keep their hands off, in lower case, at any depth: `*` is any part of a name, a pattern of
// several parts fits where they follow each other, and what lies in a folder that fits is meant, too.
//
// Put together from the lists that others keep: signatures of secret scanners (gitrob, shhgit, detect-secrets,
// gitleaks), what Anthropic's sandbox-runtime never lets be written, and the documentation of the programs themselves.

/** Neither read nor changed: programs keep keys, passwords and tokens there. */
export const SECRET_FILES = [
  // The machinery's own.
  ".git node_modules .ai-legion",
  // Settings with keys.
  ".env* .npmrc .mcp.json .pypirc .netrc _netrc .git-credentials .credentials .htpasswd .dockercfg",
  ".docker/config.json .cargo/credentials .cargo/credentials.toml .gem/credentials .composer/auth.json",
  ".m2/settings*.xml .gradle/gradle.properties .streamlit/secrets.toml secrets.json secrets.toml",
  "secrets.yaml secrets.yml",
  // Clouds and clusters.
  ".aws .azure .oci .bluemix .boto .s3cfg .config/gcloud .config/doctl .config/gh .config/hub .kube/config",
  "kubeconfig client_secret*.json service-account*.json service_account*.json .databrickscfg",
  ".snowsql/config .dbt/profiles.yml .kaggle/kaggle.json .huggingface/token .cache/huggingface/token",
  "rclone.conf .vault-token .terraformrc terraform.rc .terraform.d/credentials.tfrc.json *.tfstate",
  "*.tfstate.* *.tfvars *.tfvars.json",
  // Databases, mail and file transfer.
  ".pgpass pgpass.conf .my.cnf .mylogin.cnf .msmtprc .fetchmailrc .ftpconfig .remote-sync.json",
  "sftp-config.json .vscode/sftp.json filezilla.xml recentservers.xml sitemanager.xml",
  // Keys, their stores, and what was typed.
  ".ssh .gnupg secring.* .password-store *.pem *.key *.p8 *.p12 *.pfx *.pkcs12 *.ppk *.jks *.keystore",
  "*.kdb *.kdbx *.psafe3 *.agilekeychain *.keychain *.keychain-db *.ovpn wallet.dat logins.json key3.db",
  "key4.db cookies.sqlite login*data .*_history",
  // Other agents' logins.
  ".claude/.credentials.json .claude.json .codex/auth.json .gemini/oauth_creds.json",
].flatMap((names) => names.split(" "));

/** Read, but not changed: a shell, an editor, git or a package manager runs what they say without being asked. */
export const FILES_THAT_RUN = [
  // Shells and what they start.
  ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin",
  ".zlogout .kshrc .cshrc .tcshrc .login .logout .inputrc .xinitrc .xprofile .xsession .config/fish",
  ".config/autostart .config/systemd library/launchagents .tmux.conf .screenrc .mise.toml mise.toml",
  // git, and what hangs on it.
  ".gitconfig .config/git .gitmodules .husky .githooks lefthook.y*ml .lefthook.y*ml",
  ".pre-commit-config.yaml .hg .jj",
  // Editors and debuggers.
  ".vscode *.code-workspace .idea .zed .fleet .vimrc .gvimrc .exrc .nvimrc .nvim.lua .config/nvim .emacs",
  ".emacs.d .dir-locals*.el .helix .gdbinit .lldbinit .devcontainer .devcontainer.json",
  // Other agents: their settings, hooks and orders.
  ".claude .cursor .codex .gemini .windsurf .continue opencode.json",
  // Languages and package managers.
  ".yarnrc .yarnrc.yml .yarn/releases .yarn/plugins .pnp.cjs .pnp.loader.mjs .pnpmfile.*js bunfig.toml",
  "sitecustomize.py usercustomize.py *.pth .pythonrc .pythonstartup .pdbrc .ghci .iex.exs .erlang .irbrc",
  ".pryrc .rprofile .ripgreprc .cargo/config .cargo/config.toml",
].flatMap((names) => names.split(" "));
