// What llama.cpp's own way through mtmd says about a picture: greedy tokens and their log-probabilities, one a line.
//
//   mtmd-reference KERNELS MODEL PROJECTOR PICTURE TOKENS < PROMPT
//
// KERNELS is the folder of the engine's libraries; <__media__> stands in the prompt where the picture is.

#include <ggml-backend.h>
#include <llama-cpp.h>
#include <mtmd-helper.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <span>
#include <string>

namespace {

double log_probability(std::span<const float> logits, std::size_t token) {
    const double largest = *std::ranges::max_element(logits);
    double sum = 0;
    for (const float each : logits) {
        sum += std::exp(each - largest);
    }
    return logits[token] - largest - std::log(sum);
}

}  // namespace

int main(int count, char** values) {
    if (count != 6) {
        std::fputs("mtmd-reference KERNELS MODEL PROJECTOR PICTURE TOKENS < PROMPT\n", stderr);
        return EXIT_FAILURE;
    }
    const auto quiet = [](ggml_log_level, const char*, void*) {};
    llama_log_set(quiet, nullptr);
    mtmd_helper_log_set(quiet, nullptr);
    ggml_backend_load_all_from_path(values[1]);
    const std::string prompt{std::istreambuf_iterator<char>(std::cin), {}};
    const llama_model_ptr model(llama_model_load_from_file(values[2], llama_model_default_params()));
    auto settings = llama_context_default_params();
    settings.n_ctx = 2048;
    settings.n_batch = 512;
    settings.n_ubatch = 512;
    settings.n_threads = 1;
    settings.n_threads_batch = 1;
    settings.kv_unified = true;
    settings.swa_full = true;
    const llama_context_ptr context(llama_init_from_model(model.get(), settings));
    auto media_settings = mtmd_context_params_default();
    media_settings.use_gpu = false;
    media_settings.n_threads = 1;
    const mtmd::context_ptr media(mtmd_init_from_file(values[3], model.get(), media_settings));
    const mtmd::bitmap_ptr picture(
        mtmd_helper_bitmap_init_from_file(media.get(), values[4], false, mtmd_helper_init_opt_default()).bitmap);
    const mtmd::input_chunks_ptr chunks(mtmd_input_chunks_init());
    const mtmd_input_text text{
        .text = prompt.data(), .text_len = prompt.size(), .add_special = true, .parse_special = true};
    const mtmd_bitmap* pictures[] = {picture.get()};
    llama_pos position = 0;
    if (mtmd_tokenize(media.get(), chunks.get(), &text, pictures, 1) != 0 ||
        mtmd_helper_eval_chunks(media.get(), context.get(), chunks.get(), 0, 0, 512, true, &position) != 0) {
        return EXIT_FAILURE;
    }
    const auto* vocabulary = llama_model_get_vocab(model.get());
    llama_batch batch = llama_batch_init(1, 0, 1);
    for (int left = std::atoi(values[5]); left > 0; --left) {
        const std::span<const float> logits(llama_get_logits_ith(context.get(), -1),
                                            static_cast<std::size_t>(llama_vocab_n_tokens(vocabulary)));
        const auto best = static_cast<std::size_t>(std::ranges::max_element(logits) - logits.begin());
        std::printf("%zu %.6f\n", best, log_probability(logits, best));
        batch.n_tokens = 1;
        batch.token[0] = static_cast<llama_token>(best);
        batch.pos[0] = position++;
        batch.n_seq_id[0] = 1;
        batch.seq_id[0][0] = 0;
        batch.logits[0] = 1;
        if (llama_decode(context.get(), batch) != 0) {
            return EXIT_FAILURE;
        }
    }
    llama_batch_free(batch);
    return EXIT_SUCCESS;
}
