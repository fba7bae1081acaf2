# A formula for Homebrew. A release fills in the three lines that are marked; until then the formula cannot be installed.
#
# It has not been tried on macOS, where shellmate has not been built yet.
class Shellmate < Formula
  desc "Your own shell with an agent one keystroke away"
  homepage "https://example.invalid/shellmate" # FILLED BY A RELEASE
  url "https://example.invalid/shellmate-0.1.0.tar.gz" # FILLED BY A RELEASE
  sha256 "0000000000000000000000000000000000000000000000000000000000000000" # FILLED BY A RELEASE
  license "MIT"

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    generate_completions_from_executable(bin/"shellmate", "completions")
    (man1/"shellmate.1").write Utils.safe_popen_read(bin/"shellmate", "man")
  end

  def caveats
    <<~EOS
      To use shellmate as your login shell, first add it to the list of shells:
        echo #{opt_bin}/shellmate | sudo tee -a /etc/shells
        chsh -s #{opt_bin}/shellmate
      Before you uninstall it, change back: chsh -s /bin/zsh
    EOS
  end

  test do
    assert_match "shellmate #{version}", shell_output("#{bin}/shellmate --version")
    assert_equal "hello\n", shell_output("#{bin}/shellmate --shell /bin/sh -c 'echo hello'")
  end
end
