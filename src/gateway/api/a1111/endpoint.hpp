#pragma once

/// The API of AUTOMATIC1111's Stable Diffusion web UI, for programs that know no other: thin mappings onto the image jobs
/// that OpenAI's API has too.

#include "gateway/api/endpoints.hpp"

namespace gateway::api::a1111 {

http::asio::awaitable<void> txt2img(http::Exchange& exchange, const Services& services);
http::asio::awaitable<void> img2img(http::Exchange& exchange, const Services& services);
http::asio::awaitable<void> extra_single_image(http::Exchange& exchange, const Services& services);
http::asio::awaitable<void> png_info(http::Exchange& exchange, const Services& services);

/// Of the job of the client who asks that is drawn, or that will be next.
http::asio::awaitable<void> progress(http::Exchange& exchange, const Services& services);
/// Cancels what is drawn for the client who asks. The web UI's `skip` goes on with the next picture of the request; here
/// a request is one job, so both end it.
http::asio::awaitable<void> interrupt(http::Exchange& exchange, const Services& services);

http::asio::awaitable<void> get_options(http::Exchange& exchange, const Services& services);
http::asio::awaitable<void> set_options(http::Exchange& exchange, const Services& services);

http::asio::awaitable<void> list_samplers(http::Exchange& exchange, const Services& services);
http::asio::awaitable<void> list_schedulers(http::Exchange& exchange, const Services& services);
http::asio::awaitable<void> list_models(http::Exchange& exchange, const Services& services);
http::asio::awaitable<void> list_upscalers(http::Exchange& exchange, const Services& services);
/// What enlarges a picture between two passes, in its latent form.
http::asio::awaitable<void> list_latent_modes(http::Exchange& exchange, const Services& services);
/// Of what the web UI has and this server has not.
http::asio::awaitable<void> list_none(http::Exchange& exchange, const Services& services);
/// Likewise: of no way to draw is there a script.
http::asio::awaitable<void> list_scripts(http::Exchange& exchange, const Services& services);
http::asio::awaitable<void> list_loras(http::Exchange& exchange, const Services& services);

}  // namespace gateway::api::a1111
