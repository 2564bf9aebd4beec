#pragma once

/// A Backend in front of another: downloads the pictures that a job names by their addresses, and passes it on with them.
/// What cannot be had fails the job, at the place of the picture.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

#include "gateway/backends/backend.hpp"
#include "gateway/fetch/rules.hpp"

namespace gateway::fetch {

class ImageFetching final : public backends::Backend {
public:
    /// `io` and `inner` must outlive it.
    ImageFetching(boost::asio::io_context& io, backends::Backend& inner, Rules rules);

    std::unique_ptr<backends::Submission> submit(const backends::ModelName& model, backends::Job job,
                                                 backends::EventSink& sink) override;

private:
    class Ticket;

    boost::asio::io_context& io_;
    backends::Backend& inner_;
    const Rules rules_;
    boost::asio::ssl::context tls_;
};

}  // namespace gateway::fetch
