#include "gateway/api/chat/refused.hpp"

#include <boost/json/array.hpp>

namespace gateway::api::chat {
namespace {

class RefusedShape final : public schema::Shape {
public:
    schema::Kinds kinds() const override { return schema::Kinds::anything; }
    void read(const schema::Value&, void*, const schema::Options&, const schema::Reading&) const override {}
    schema::Value write(const void*) const override { return nullptr; }
    boost::json::object document(const schema::Options& options, schema::Components&) const override {
        boost::json::object described{{"type", boost::json::array{"null"}}, {"description", options.doc}};
        if (options.deprecated)
            described["deprecated"] = true;
        return described;
    }
    bool empty(const void*) const override { return true; }
};

}  // namespace

const schema::Shape& describe(schema::Type<Refused>) {
    static const RefusedShape shape;
    return shape;
}

}  // namespace gateway::api::chat
