#include "base/utf8.hpp"

namespace base {

std::string valid_utf8(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto lead = static_cast<unsigned char>(text[at]);
        const std::size_t length = lead < 0x80                   ? 1
                                   : lead >= 0xc2 && lead < 0xe0 ? 2
                                   : lead >= 0xe0 && lead < 0xf0 ? 3
                                   : lead >= 0xf0 && lead < 0xf5 ? 4
                                                                 : 0;
        bool whole = length > 0 && at + length <= text.size();
        for (std::size_t next = 1; whole && next < length; ++next) {
            const auto follower = static_cast<unsigned char>(text[at + next]);
            whole = (follower & 0xc0) == 0x80;
            if (next == 1) {  // overlong forms, surrogates, beyond U+10FFFF
                whole = whole && !(lead == 0xe0 && follower < 0xa0) && !(lead == 0xed && follower > 0x9f) &&
                        !(lead == 0xf0 && follower < 0x90) && !(lead == 0xf4 && follower > 0x8f);
            }
        }
        if (whole) {
            clean.append(text, at, length);
            at += length;
        } else {
            clean += "\xef\xbf\xbd";
            ++at;
        }
    }
    return clean;
}

}  // namespace base
