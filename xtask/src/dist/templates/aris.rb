class Aris < Formula
  desc "Audits, gates and queues for research agents"
  homepage "@URL@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@URL@/aris-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:aarch64-apple-darwin@"
    end
    on_intel do
      url "@URL@/aris-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@URL@/aris-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@URL@/aris-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install Dir["bin/bin/aris-*"].first => "aris"
    bash_completion.install "share/bash-completion/completions/aris"
    fish_completion.install "share/fish/vendor_completions.d/aris.fish"
    zsh_completion.install "share/zsh/site-functions/_aris"
    man1.install "share/man/man1/aris.1"
    doc.install Dir["licences/*.txt"]
  end

  test do
    assert_match "no blocker found", shell_output("#{bin}/aris demo")
  end
end
