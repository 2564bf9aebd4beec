#include "gateway/api/named_model.hpp"

#include <utility>

namespace gateway::api {

std::string id_of_adapter(const backends::ModelStatus& model, std::size_t adapter) {
    return model.name.value() + ":" + model.adapters[adapter].name;
}

std::string NamedModel::id() const {
    return adapter ? id_of_adapter(*this, *adapter) : name.value();
}

std::optional<NamedModel> find_named(const backends::Catalogue& catalogue, const backends::ModelName& name) {
    if (auto model = catalogue.find(name))
        return NamedModel{*std::move(model), std::nullopt};
    std::optional<NamedModel> by_adapter;
    std::size_t of_that_name = 0;
    for (auto& model : catalogue.models())
        for (std::size_t i = 0; i < model.adapters.size(); ++i) {
            if (id_of_adapter(model, i) == name.value())
                return NamedModel{std::move(model), i};
            if (model.adapters[i].name == name.value() && ++of_that_name == 1)
                by_adapter = NamedModel{model, i};
        }
    return of_that_name == 1 ? std::move(by_adapter) : std::nullopt;
}

}  // namespace gateway::api
