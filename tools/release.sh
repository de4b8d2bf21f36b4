#!/bin/bash
# Makes out/release: the program as an archive and a Debian package, with man page,
# completions and checksums. The version is that of the last tag; commits after it
# are told by their number, and the same commit gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
GO=${GO:-go}
out=${1:-out}/release
arch=$($GO env GOARCH)
version=$(git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null || echo "v0.1.0-dev+$(git describe --always --dirty)")
# 4 commits after v1.2.3 make 1.2.3+4.g0123abc, which sorts after 1.2.3.
number=$(sed -E 's/^v//; s/-([0-9]+)-g([0-9a-f]+)/+\1.g\2/; s/-dirty$/+dirty/; s/(\+.*)\+dirty/\1.dirty/' <<<"$version")
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

rm -rf "$out"
root=$out/root
share=$root/usr/share
mkdir -p "$root/DEBIAN" "$root/usr/bin" \
	"$share"/{man/man1,applications,doc/vkterrain,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
$GO build -trimpath -ldflags "-s -w -X main.releaseVersion=$number" -o "$root/usr/bin/vkterrain" ./cmd/vkterrain
program() { env -i "$root/usr/bin/vkterrain" --no-settings "$@"; }
program man | gzip -9n >"$share/man/man1/vkterrain.1.gz"
program completion bash >"$share/bash-completion/completions/vkterrain"
# zsh loads the file by the first completion, which is to have an answer already.
{
	echo '#compdef vkterrain'
	program completion zsh
	echo '_bash_complete -o default -F _vkterrain'
} >"$share/zsh/vendor-completions/_vkterrain"
program completion fish >"$share/fish/vendor_completions.d/vkterrain.fish"
cp LICENSE "$share/doc/vkterrain/copyright"
cp README.md CHANGELOG.md "$share/doc/vkterrain/"
cat >"$share/applications/vkterrain.desktop" <<END
[Desktop Entry]
Type=Application
Name=vkterrain
Comment=Fly over very large terrains
Exec=vkterrain fly
Terminal=false
Categories=Graphics;3DGraphics;
END
# In versions of Debian ~ sorts what comes before a release. What is opened at run time stands
# beside what is linked.
libc=$(objdump -T "$root/usr/bin/vkterrain" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
cat >"$root/DEBIAN/control" <<END
Package: vkterrain
Version: ${number//-/\~}
Architecture: $arch
Maintainer: vkterrain maintainers <maintainers@vkterrain.invalid>
Installed-Size: $(du -ks "$root/usr" | cut -f1)
Depends: libc6 (>= ${libc#GLIBC_}), libx11-6, libxcursor1, libxi6, libxinerama1, libxrandr2, libvulkan1
Recommends: mesa-vulkan-drivers
Suggests: ffmpeg, gdal-bin, renderdoc, vulkan-validationlayers
Section: graphics
Priority: optional
Description: very large terrains with Vulkan
 Bakes height rasters into worlds and draws them within a bound of the screen error.
END
chmod -R u=rwX,go=rX "$root"
find "$root" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group --build "$root" "$out/vkterrain_${number}_$arch.deb" >&2
tar -C "$root" --owner=0 --group=0 --numeric-owner --sort=name -c usr | gzip -9n >"$out/vkterrain-$number-linux-$arch.tar.gz"
rm -rf "$root"
(cd "$out" && sha256sum -- *.deb *.tar.gz >SHA256SUMS)
ls -l "$out"
